"""What a ``jax.Array`` offers by name, and what each of it needs to be answered."""

import inspect
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

import jax

from x10_jupyter.jax_gate.private import private
from x10_jupyter.jax_gate.tracing import FIX, is_tracer


class Needs(Enum):
    """What has to be known of an array to answer one of its methods or properties."""

    GRAPH = "a pure function of the array, which can be traced"
    SHAPE = "shape and dtype alone"
    VALUE = "the array itself"


class Surface(NamedTuple):
    """The public names of a ``jax.Array``."""

    methods: dict[str, Needs]
    properties: dict[str, Needs]


def array_methods() -> dict[str, Needs]:
    """The methods of a ``jax.Array``: ``sum`` and ``astype`` need the graph; ``item``, ``nonzero`` and ``block_until_ready`` the value."""
    return dict(surface().methods)


def array_properties() -> dict[str, Needs]:
    """The properties of a ``jax.Array``: ``T`` and ``at`` need the graph; ``ndim`` and ``weak_type`` the shape; ``sharding`` the value."""
    return dict(surface().properties)


@cache
def surface() -> Surface:
    """Ask the class of arrays for its names and a tracer for each of them; 20 ms, once.

    What a tracer refuses needs the value. No array is made: that would compile a program, and have JAX choose a platform.
    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """
    array_type = private("jax._src.array", "ArrayImpl", fix=FIX)
    names = sorted(name for name in {*dir(jax.Array), *dir(array_type)} if not name.startswith("_"))
    found = Surface({}, {})

    def ask(tracer: jax.Array) -> None:
        for name in names:
            is_method = callable(getattr(array_type, name, None) or getattr(jax.Array, name))
            (found.methods if is_method else found.properties)[name] = needs_of(tracer, name, is_method=is_method)

    # A square matrix of integers: the one kind of array that every method of JAX's accepts.
    jax.eval_shape(ask, jax.ShapeDtypeStruct((2, 2), "int32"))
    return found


def needs_of(tracer: jax.Array, name: str, *, is_method: bool) -> Needs:
    """What one name of an array needs, told by what a tracer does with it."""
    try:
        value = getattr(tracer, name)
    except Exception:  # noqa: BLE001 - whatever the reason, a tracer cannot answer
        return Needs.VALUE
    if not is_method:
        return Needs.SHAPE if is_plain(value) else Needs.GRAPH
    return Needs.VALUE if refuses(value) else Needs.GRAPH


def is_plain(value: object) -> bool:
    """Whether a property's value is an answer in itself: not a tracer, and not an object that holds one, such as ``x.at``."""
    slots = getattr(type(value), "__slots__", ())
    return not any(is_tracer(each) for each in (value, *vars_of(value), *(getattr(value, slot, None) for slot in slots)))


def vars_of(value: object) -> list[Any]:
    """The values of an object's attributes."""
    return list(getattr(value, "__dict__", {}).values())


def refuses(method: Callable[..., object]) -> bool:
    """Whether a tracer's method says that it needs a value; an argument that does not suit it shows that it would have computed."""
    required = [each for each in inspect.signature(method).parameters.values() if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD]
    try:
        method(*[0] * len(required))
    except jax.errors.ConcretizationTypeError:
        return True
    except Exception:  # noqa: BLE001 - any other refusal is about the arguments
        return False
    return False
