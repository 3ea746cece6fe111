"""Values as text, for people, and as evidence, to tell later whether a value was another one. Neither keeps a value alive."""

import functools
import inspect
import types
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from x10_jupyter.observe.attributes import compared
from x10_jupyter.observe.equals import EQUALS
from x10_jupyter.records.avals import aval_text

PLAIN = type(None) | bool | int | float | complex | str | bytes
MOST_LETTERS = 80
MOST_ITEMS = 8
MOST_DEEP = 3


def text_of(value: Any, depth: int = 0) -> str:  # noqa: ANN401 - the user's value
    """A value as a person would write it, in a line of at most `MOST_LETTERS`; what has no text of its own is told by its type: ``a Model``."""
    if isinstance(value, PLAIN | np.generic):
        return short(repr(value))
    if hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, type):
        return aval_text(value.shape, str(value.dtype), weak=bool(getattr(value, "weak_type", False)))
    if isinstance(value, type | np.dtype):
        return getattr(value, "__name__", "") or str(value)
    if is_function(value):
        return name_of(value)
    if type(value) in {list, tuple, set, frozenset, dict}:
        return container(value, depth)
    return short(own_text(value)) or f"a {type(value).__name__}"


def container(value: Any, depth: int) -> str:  # noqa: ANN401 - the user's value
    """A container with what it holds, or only how much if that is a lot."""
    if len(value) > MOST_ITEMS or depth >= MOST_DEEP:
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, Mapping):
        return short("{" + ", ".join(f"{short(repr(key))}: {text_of(item, depth + 1)}" for key, item in value.items()) + "}")
    items = ", ".join(text_of(item, depth + 1) for item in value)
    left, right = {list: "[]", tuple: "()"}.get(type(value), "{}")
    return short(f"{left}{items}{',' if isinstance(value, tuple) and len(value) == 1 else ''}{right}")


def short(text: str) -> str:
    """One line of at most so many letters."""
    line = " ".join(text[: 4 * MOST_LETTERS].split())
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1]}…"


def own_text(value: Any) -> str:  # noqa: ANN401 - the user's value
    """What a value says of itself; empty if that is no more than where it lies, or if it fails."""
    if type(value).__repr__ is object.__repr__:
        return ""
    try:
        told = repr(value)
    except Exception:  # noqa: BLE001 - the user's code
        return ""
    return "" if " at 0x" in told[:400] else told


def evidence_of(value: Any) -> tuple[Hashable, ...]:  # noqa: ANN401 - the user's value
    """What is another one if JAX takes a static value for another one."""
    if isinstance(value, PLAIN | np.generic):
        return type(value).__name__, repr(value)
    if isinstance(value, tuple):
        return type(value).__qualname__, *map(evidence_of, value)
    try:
        number = hash(value)
    except TypeError:
        return type(value).__qualname__, id(value)
    return type(value).__qualname__, number, EQUALS.number_of(value, number)


def parts_of(value: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - the user's value
    """The fields of a record, or what an object is compared by, each with its text, so that the one that changes can be named; none for other values."""
    if isinstance(value, type):
        return ()
    if is_dataclass(value):
        return tuple((f".{field.name}", text_of(getattr(value, field.name, None), 1)) for field in fields(value)[:64])
    names = getattr(type(value), "_fields", None) if isinstance(value, tuple) else None
    return (
        tuple((f".{name}", text_of(item, 1)) for name, item in zip(names, value, strict=False))
        if names
        else tuple((f".{name}", text_of(item, 1)) for name, item in compared(value))
    )


def is_function(value: object) -> bool:
    """Whether a value is best told by its name."""
    is_known = isinstance(value, types.FunctionType | types.MethodType | functools.partial) or inspect.isroutine(value)
    return is_known or (callable(value) and isinstance(getattr(value, "__name__", None), str))


def name_of(function: Callable[..., object]) -> str:
    """The name of a function; of a partial that of what it calls."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)


def renewed(old: str, new: str) -> str:
    """The text of a new value; ``another Model`` if it can't be told from the old one by that."""
    return new if new != old else f"another {new.removeprefix('a ')}"
