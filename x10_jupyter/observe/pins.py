"""Objects that JAX keeps alive, since they were static arguments of a call that it compiled, with the arrays that they hold."""

import math
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import FunctionType, MethodType, ModuleType
from typing import Any

import jax

from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.records.holding import Pinned
from x10_jupyter.records.site import Site

MOST = 4_096
"""Objects that are remembered, the newest; none of them is kept alive by that."""

MOST_PARTS = 10_000
"""Parts of an object that are looked at; a model has hundreds."""

MOST_TOLD = 8
"""Arguments that are told, those with most."""

CLOSED = type | FunctionType | MethodType | ModuleType | str | bytes | int | float | complex | None
"""What holds no arrays of its own, or shares them with the whole program."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A static argument of a call that was compiled."""

    function: str
    site: Site | None
    """Where the function is defined."""
    argument: str
    value: Callable[[], Any]
    """Gives the object, if it is still there."""
    fun: Callable[[], Any]
    """Gives the function: when that is gone JAX lets go of what its calls were given."""
    forgotten: int
    """How often JAX had forgotten everything."""


@dataclass(slots=True)
class Found:
    """What the objects of one argument hold."""

    objects: list[Any] = field(default_factory=list[Any])
    arrays: dict[int, jax.Array] = field(default_factory=dict[int, jax.Array])


class Pins:
    """Those that were seen."""

    def __init__(self) -> None:
        self._pins = deque[Pin](maxlen=MOST)

    def add(self, pins: Iterable[Pin]) -> None:
        """Remember some."""
        self._pins.extend(pins)

    def clear(self) -> None:
        """Forget all."""
        self._pins.clear()

    def told(self, forgotten: int) -> tuple[Pinned, ...]:
        """What those hold that JAX still keeps, by argument, what holds most first.

        Args:
            forgotten: How often JAX has forgotten everything by now.
        """
        found: dict[tuple[str, Site | None, str, str], Found] = {}
        for pin in self._pins:
            value = pin.value()
            if value is None or pin.forgotten != forgotten or pin.fun() is None:
                continue
            one = found.setdefault((pin.function, pin.site, pin.argument, type(value).__name__), Found())
            if not any(other is value for other in one.objects):
                one.objects.append(value)
                one.arrays |= {id(array): array for array in arrays_in(value)}
        made = [
            Pinned(function=function, site=site, argument=argument, type_name=name, objects=len(one.objects), arrays=len(one.arrays), size_bytes=held)
            for (function, site, argument, name), one in found.items()
            if (held := sum(map(bytes_of, one.arrays.values())))
        ]
        return tuple(sorted(made, key=lambda one: -one.size_bytes)[:MOST_TOLD])


def pins_of(statics: Iterable[tuple[str, Any]], function: str, site: Site | None, fun: Callable[[], Any], forgotten: int) -> tuple[Pin, ...]:
    """The static arguments of a call that may hold arrays.

    Args:
        statics: Each with what the function calls it.
        function: The function's name.
        site: Where it is defined.
        fun: Gives the function, if it is still there.
        forgotten: How often JAX had forgotten everything.
    """
    return tuple(Pin(function, site, name, reference, fun, forgotten) for name, value in statics if (reference := referring(value)) is not None)


def referring(value: Any) -> Callable[[], Any] | None:  # noqa: ANN401 - the user's value
    """What gives an object as long as it is there, without keeping it; None of what holds no arrays, or cannot be referred to so."""
    if isinstance(value, CLOSED):
        return None
    with suppress(TypeError):
        return weakref.ref(value)
    return None


def arrays_in(value: Any) -> Iterator[jax.Array]:  # noqa: ANN401 - the user's value
    """The arrays that an object holds, in its attributes and in containers, however deep. Runs no code of the user's: what is only computed is not seen."""
    seen: set[int] = set()
    waiting: list[Any] = [value]
    while waiting and len(seen) < MOST_PARTS:
        one = waiting.pop()
        if isinstance(one, CLOSED) or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, jax.Array):
            if not is_tracer(one) and not one.is_deleted():
                yield one
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list | tuple | set | frozenset):
            waiting.extend(one)
        else:
            with suppress(AttributeError, TypeError):
                waiting.extend(object.__getattribute__(one, "__dict__").values())


def bytes_of(array: jax.Array) -> int:
    """What an array takes on the devices of this process, each copy counted."""
    sharding = array.sharding
    return len(sharding.addressable_devices) * math.prod(sharding.shard_shape(array.shape)) * array.dtype.itemsize
