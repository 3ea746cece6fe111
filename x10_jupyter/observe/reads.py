"""What a function reads from around it: values that become a part of the program and are no arguments.

Found without running any code of the user's, and told by texts and numbers, so that nothing is kept alive.
"""

import functools
import itertools
import sys
import types
import weakref
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.observe.attributes import attributes_of, is_simple
from x10_jupyter.observe.code import Step, doing, ways_read
from x10_jupyter.observe.layers import layers_of
from x10_jupyter.observe.values import short
from x10_jupyter.records.avals import aval_text

MOST_READ = 64
"""Values that are noted of one function."""
MOST_DEEP = 2
"""Functions that are called one by another, and containers within one another."""
MOST_ITEMS = 64
MOST_BYTES = 4096
"""Of a NumPy array that is compared by its values, and of a text that is kept."""
LIBRARIES = {"jax", "jaxlib", "equinox", "flax"}
"""Libraries whose objects stand for functions that they wrap."""
FUNCTION, CLASS = "function", "class"
NO_ITEM = object()


class Read(NamedTuple):
    """A value that was read."""

    text: str
    evidence: Hashable
    """Another one if the value is; None if that can't be told."""

    @property
    def is_code(self) -> bool:
        """Whether it is a function or a class of the user's, known by its code."""
        return isinstance(self.evidence, tuple) and self.evidence[:1] in {(FUNCTION,), (CLASS,)}


class Objects:
    """Numbers objects: another object has another number, even where one lies where another lay."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._count = itertools.count()

    def number_of(self, value: Any) -> int | None:  # noqa: ANN401 - the user's value
        """The number of an object; None if it can't be referred to weakly."""
        key = id(value)
        known = self._known.get(key)
        if known is not None and known[0]() is value:
            return known[1]
        try:
            ref = weakref.ref(value, lambda gone: self._forget(key, gone))
        except TypeError:
            return None
        self._known[key] = ref, next(self._count)
        return self._known[key][1]

    def _forget(self, key: int, gone: weakref.ref[Any]) -> None:
        known = self._known.get(key)
        if known is not None and known[0] is gone:
            del self._known[key]


OBJECTS = Objects()


def reads_of(layers: Sequence[Any]) -> tuple[tuple[str, Read], ...]:
    """What the user's functions among some layers read, and the functions that these call, each by what it is called: ``cfg.rate``.

    Args:
        layers: A function and what it is wrapped around; see `layers_of`.
    """
    found: dict[str, Read] = {}
    for layer in layers:
        if isinstance(layer, types.FunctionType):
            add(found, layer, 0)
    return tuple(found.items())


def add(found: dict[str, Read], function: types.FunctionType, depth: int) -> None:
    """Note what a function reads, and what the functions that it calls do.

    Args:
        found: Takes it.
        function: The function.
        depth: How many functions call it.
    """
    if is_ours_or_library(function.__code__.co_filename):
        return
    called = list[Any]()
    for name, value in itertools.chain(globals_read(function), closed_over(function, is_whole=depth > 0)):
        if name in found or len(found) >= MOST_READ:
            continue
        read = read_of(value)
        if read.evidence is not None:
            found[name] = read
            called.append(value)
    if depth < MOST_DEEP:
        for inner in itertools.chain.from_iterable(functions_in(value) for value in called):
            add(found, inner, depth + 1)


def globals_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that a function reads, as far down as can be told without running code."""
    for name, steps in ways_read(function.__code__):
        value = function.__globals__.get(name, NO_ITEM)
        for step in steps:
            inner = taken(value, step)
            if inner is NO_ITEM:
                break
            value, name = inner, f"{name}.{step[1]}" if step[0] == "." else f"{name}[{step[1]!r}]"
        if value is not NO_ITEM:
            yield name, value


def taken(value: Any, step: Step) -> Any:  # noqa: ANN401 - the user's value
    """An attribute or an item, if that is found without running code."""
    how, name = step
    if how == ".":
        is_open = isinstance(value, types.ModuleType) and not is_ours_or_library(getattr(value, "__file__", None) or "")
        held = vars(value) if is_open else {} if isinstance(value, types.ModuleType | type) else attributes_of(value)
        return held.get(str(name), NO_ITEM)
    if type(value) is dict and isinstance(name, str | int):
        return value.get(name, NO_ITEM)
    return value[name] if type(value) in {list, tuple} and isinstance(name, int) and -len(value) <= name < len(value) else NO_ITEM


def closed_over(function: types.FunctionType, *, is_whole: bool) -> Iterator[tuple[str, Any]]:
    """What a function has from around it: functions, and, if that is told nowhere else, values that read as what they are.

    Args:
        function: The function.
        is_whole: Whether to tell the values, too.
    """
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:  # the name is bound later
            continue
        if any(True for _ in functions_in(value)) or (is_whole and (is_simple(value) or isinstance(value, jax.Array | np.ndarray))):
            yield name, value


def functions_in(value: Any) -> Iterator[types.FunctionType]:  # noqa: ANN401 - the user's value
    """The user's functions in what is called, innermost last."""
    if stands_for_function(value):
        for layer in layers_of(value):
            if isinstance(layer, types.FunctionType) and not is_ours_or_library(layer.__code__.co_filename):
                yield layer


def stands_for_function(value: Any) -> bool:  # noqa: ANN401 - as above
    """Whether a value is a function, or a library's around one."""
    if isinstance(value, types.FunctionType | types.MethodType | functools.partial):
        return True
    return not isinstance(value, type) and type(value).__module__.partition(".")[0] in LIBRARIES and callable(value)


def read_of(value: Any, depth: int = 0) -> Read:  # noqa: ANN401 - as above
    """What there is to know of a value.

    Args:
        value: It.
        depth: In how many containers it is.
    """
    if is_simple(value):
        return of_simple(value)
    if isinstance(value, jax.Array | np.ndarray):
        return of_array(value)
    if isinstance(value, type):
        return Read(value.__name__, (CLASS, *code_of_class(value)) if is_of_user(value) else None)
    if stands_for_function(value):
        return of_function(value)
    if isinstance(value, list | dict | tuple):
        return of_container(value, depth)
    return of_object(value)


def of_simple(value: Any) -> Read:  # noqa: ANN401 - as `is_simple` says
    """A value that its text tells."""
    kind = type(value).__name__
    if isinstance(value, str | bytes) and len(value) > MOST_BYTES:
        return Read(f"a {kind} of {len(value)}", (kind, len(value), hash(value)))
    return Read(short(repr(value)), (kind, repr(value)))


def of_object(value: Any) -> Read:  # noqa: ANN401 - the user's value
    """An object: by its attributes if these are simple, or by which one it is."""
    kind = type(value)
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType):
        return Read(value.__name__, None)
    held = attributes_of(value)
    if held and len(held) <= MOST_ITEMS and all(map(is_simple, held.values())):
        return Read(f"a {kind.__name__}", (kind.__qualname__, *((name, repr(one)) for name, one in held.items())))
    number = OBJECTS.number_of(value)
    return Read(f"a {kind.__name__}", None if number is None else (kind.__qualname__, number))


def of_array(value: Any) -> Read:  # noqa: ANN401 - an array
    """An array: a small one of NumPy's is compared by its values, any other one is another one if it is another object, as its values may be far away."""
    text = aval_text(value.shape, str(value.dtype), weak=bool(getattr(value, "weak_type", False)))
    if type(value) is np.ndarray and value.nbytes <= MOST_BYTES and not value.dtype.hasobject:
        return Read(text, (text, hash(value.tobytes())))
    number = OBJECTS.number_of(value)
    return Read(text, None if number is None else (text, number))


def of_function(value: Any) -> Read:  # noqa: ANN401 - a function
    """A function: the user's is known by its code, a library's by which one it is, if it was made by another one."""
    name = str(getattr(value, "__name__", "") or type(value).__name__)
    codes = tuple(doing(one.__code__) for one in functions_in(value))
    if codes:
        given = tuple(read_of(one, MOST_DEEP).evidence for one in (*value.args, *value.keywords.values())) if isinstance(value, functools.partial) else ()
        return Read(name, (FUNCTION, codes, given))
    number = OBJECTS.number_of(value) if "<locals>" in getattr(getattr(value, "__code__", None), "co_qualname", "") else None
    return Read(name, None if number is None else ("made", number))


def of_container(value: list[Any] | dict[Any, Any] | tuple[Any, ...], depth: int) -> Read:
    """A container, by what it holds."""
    kind = type(value)
    name = f"a {kind.__name__}"
    if len(value) > MOST_ITEMS or depth >= MOST_DEEP or not (kind in {list, dict} or isinstance(value, tuple)):
        return Read(name, None)
    keys, items = (tuple(value), list(value.values())) if isinstance(value, dict) else ((), list(value))
    if not all(map(is_simple, keys)):
        return Read(name, None)
    text = short(repr(value)) if kind in {list, dict, tuple} and all(map(is_simple, items)) else name
    return Read(text, (kind.__qualname__, repr(keys), tuple(read_of(one, depth + 1).evidence for one in items)))


def is_of_user(kind: type) -> bool:
    """Whether a class is the user's own."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return kind.__module__ == "__main__" or (kind.__module__ != "builtins" and not is_ours_or_library(file or ""))


def code_of_class(kind: type) -> Iterator[Hashable]:
    """What the methods of a class do, and its simple attributes."""
    for name, member in list(vars(kind).items())[:MOST_ITEMS]:
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member.fget if isinstance(member, property) else member
        if isinstance(inner, types.FunctionType):
            yield name, tuple(doing(layer.__code__) for layer in layers_of(inner) if isinstance(layer, types.FunctionType))
        elif is_simple(member) and not name.startswith("__"):
            yield name, repr(member)
