"""Calls like one before: known by the classes and the plain values of their arguments, without a look at a tree."""

from collections.abc import Hashable, Iterable
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from x10_jupyter.lazy.autodiff import UNKNOWN
from x10_jupyter.lazy.avals import INT32
from x10_jupyter.lazy.checks import is_current
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.operators import known_call
from x10_jupyter.lazy.reads import Walk
from x10_jupyter.lazy.value import Value

ATOMS = frozenset(
    [str, bool, type(None), type(...), *[np.dtype(name).__class__ for name in ("bool", "int32", "int64", "uint8", "float16", "float32", "float64")]]
)
"""Classes of values that mean the same whenever they are equal."""
WHOLE = frozenset([int, bool, type(None)])
"""Classes of a slice's bounds, which always count with their values."""
DTYPES = type(jnp.float32)
MOST_KNOWN = 256
"""Calls known of one function."""
Seen = tuple[tuple[Hashable, ...], list[Any], list[Any]]
"""What a call is known by, its tensors, and its numbers."""


class Known(NamedTuple):
    """A way of calling a function."""

    call: Call
    chosen: tuple[int, ...] | None
    """Which numbers are parameters; None if all are."""


PLAIN = ATOMS | {int, float, DTYPES}
"""Classes of what never changes, so that the same object means the same."""
MOST_DOUBTS = 8
"""So many calls running that are not like the last one, and it is not looked any more whether one is."""


class Last:
    """What a call was given; it never changes, since threads share it."""

    __slots__ = ("call", "given", "names", "numbers")

    def __init__(self, given: list[Any], names: tuple[str, ...], call: Call, numbers: tuple[Any, ...]) -> None:
        self.given = given
        """Its arguments, the class of tensors in place of each of them."""
        self.names = names
        """How the last of them were named."""
        self.call, self.numbers = call, numbers


class Calls:
    """The calls known of one function."""

    __slots__ = ("doubts", "known", "last")

    def __init__(self) -> None:
        self.known: dict[tuple[Hashable, ...], Known] = {}
        self.doubts = 0
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self.known.clear()
        self.last: Last | None = None
        """The last of them, if what it was given never changes."""


def like_before(trace: Trace, checks: Any, calls: Calls, args: Any, kwargs: Any) -> Any:
    """Record a call that is like one before, which needs no look at a tree; ``UNKNOWN`` if it is none.

    Args:
        trace: The thread's trace.
        checks: Where what the function itself reads was found.
        calls: The calls known of the function.
        args: Arguments by position.
        kwargs: Arguments by name.
    """
    if checks and not is_current(checks):
        return UNKNOWN
    kind = trace.kind
    last: Last | None = calls.last
    tensors = None if last is None else like_last(last, kind, args, kwargs)
    if last is not None and tensors is not None:
        calls.doubts = 0
        call, numbers = last.call, last.numbers
    else:
        seen = seen_in(args, kwargs, kind)
        if seen is None:
            return UNKNOWN
        key, tensors, numbers = seen
        found = calls.known.get(key)
        if found is None:
            return UNKNOWN
        call, chosen = found
        if chosen is not None:
            numbers = [numbers[i] for i in chosen]
        if calls.doubts < MOST_DOUBTS:
            remember(calls, kind, args, kwargs, call, numbers)
    try:
        return known_call(trace, call.reduced() if trace.reduces else call, tensors, numbers)
    except Exception:  # noqa: BLE001 - the long way knows what to make of it; `suppress` is slow
        return UNKNOWN


def like_last(last: Last, kind: Any, args: Any, kwargs: Any) -> Any:
    """The tensors of a call that is given the very objects that the last one was given, but for tensors; None if it is not."""
    given, names = last.given, last.names
    if len(given) != len(args) + len(kwargs) or len(kwargs) != len(names):
        return None
    tensors: list[Any] = []
    place = 0
    for x in args:
        if not is_like(x, given[place], kind, tensors):
            return None
        place += 1
    if names:
        first = place
        for name, x in kwargs.items():
            if name != names[place - first] or not is_like(x, given[place], kind, tensors):
                return None
            place += 1
    return tensors


def is_like(x: Any, before: Any, kind: Any, tensors: list[Any]) -> bool:
    """Whether an argument is a tensor as the one before, to which it is added, or the same object."""
    if type(x) is kind:
        if before is not kind:
            return False
        tensors.append(x)
        return True
    return x is before or (type(x) is tuple and type(before) is tuple and is_same(x, before))


def is_same(x: Any, y: Any) -> bool:
    """Whether two tuples hold the very same objects."""
    return len(x) == len(y) and all(map(is_, x, y))


def remember(calls: Calls, kind: Any, args: Any, kwargs: Any, call: Any, numbers: Any) -> None:
    """Note what a call was given, if that never changes."""
    calls.doubts += 1
    given = [kind if type(x) is kind else x for x in (*args, *kwargs.values())]
    if all(map(is_plain, given, repeat(kind))):
        calls.last = Last(given, tuple(kwargs), call, tuple(numbers))


def is_plain(x: Any, kind: Any) -> bool:
    """Whether an argument never changes."""
    return x is kind or type(x) in PLAIN or (type(x) is tuple and PLAIN.issuperset(map(type, x)))


def seen_in(args: tuple[Any, ...], kwargs: dict[str, Any], kind: type[Value]) -> Seen | None:
    """What a call is known by; None if an argument is neither a tensor, a plain value, nor a tuple, list or slice of them.

    A whole number counts with its value, since it may be an axis; a fraction does not.

    Args:
        args: Arguments by position.
        kwargs: Arguments by name.
        kind: The class of tensors.
    """
    key: list[Any] = []
    tensors: list[Any] = []
    numbers: list[Any] = []
    if not look(args, kind, key, tensors, numbers):
        return None
    if kwargs:
        key.append(tuple(kwargs))
        if not look(kwargs.values(), kind, key, tensors, numbers):
            return None
    return tuple(key), tensors, numbers


def look(items: Iterable[Any], kind: type[Value], key: list[Any], tensors: list[Any], numbers: list[Any]) -> bool:  # noqa: C901 - one test a class
    """Add what is seen of some arguments; whether they can be known by it."""
    for x in items:
        c = x.__class__
        if c is kind:
            key.append(c)
            tensors.append(x)
        elif c is int:
            key += (c, x)
            numbers.append(x)
        elif c in ATOMS:
            key += (c, x)
        elif c is float:
            key.append(c)
            numbers.append(x)
        elif c is tuple or c is list:
            key += (c, len(x))
            if not look(x, kind, key, tensors, numbers):
                return False
        elif c is slice:
            parts = (x.start, x.stop, x.step)
            kinds = tuple([part.__class__ for part in parts])
            if not WHOLE.issuperset(kinds):
                return False
            key += (c, kinds, parts)
        elif c is DTYPES:
            key += (c, x)
        else:
            return False
    return True


def learn(known: dict[tuple[Hashable, ...], Known], args: tuple[Any, ...], kwargs: dict[str, Any], walk: Walk, call: Call) -> None:
    """Note a call that was just looked at in full, if calls like it can be known.

    Args:
        known: The calls known of the function.
        args: Arguments by position.
        kwargs: Arguments by name.
        walk: What was found in them, in the order of their tree.
        call: The way of calling it.
    """
    if not walk.tensors or not is_in_order(kwargs, walk):
        return
    seen = seen_in(args, kwargs, walk.tensors[0].__class__)
    if seen is None or len(seen[1]) != len(walk.tensors):
        return
    key, _, numbers = seen
    chosen = tuple([i for i in range(len(numbers)) if i not in walk.statics])
    # a static fraction would have to be part of the key, and whether a large whole number is one depends on JAX's configuration
    if len(chosen) != len(walk.numbers) or not all(i in chosen if n.__class__ is float else n in INT32 for i, n in enumerate(numbers)):
        return
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = Known(call, None if len(chosen) == len(numbers) else chosen)


def is_in_order(kwargs: dict[str, Any], walk: Walk) -> bool:
    """Whether tensors and numbers among the arguments by name are written in the order of the tree, which is that of the names."""
    if len(kwargs) < 2 or list(kwargs) == sorted(kwargs):
        return True
    found: tuple[list[Any], list[Any]] = ([], [])
    return look(kwargs.values(), walk.tensors[0].__class__, [], *found) and max(map(len, found)) < 2
