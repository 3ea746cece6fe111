"""Calls like one before: known by the classes and the plain values of their arguments, without a look at a tree."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from x10_jupyter.lazy.avals import INT32
from x10_jupyter.lazy.core import Value
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.reads import Walk

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
