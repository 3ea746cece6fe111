"""What a function has from outside instead of as an argument, and what it calls that."""

import inspect
from collections.abc import Callable, Iterator
from itertools import islice
from types import CodeType, ModuleType
from typing import Any

from jax.tree_util import keystr, tree_flatten_with_path

DEEPEST = 3
"""Functions within functions that are looked through."""

MOST = 4_096
"""Values that are looked at; a model has fewer parts."""


def outside(function: object) -> Iterator[tuple[str, object]]:
    """The values that a function reads from outside: ``table``, ``params['w']``, ``self.mask``. A bounded number of them; those of functions it reads, too.

    Args:
        function: It; something that is no function of Python's has none.
    """
    return islice(values(function, DEEPEST), MOST)


def values(function: object, depth: int) -> Iterator[tuple[str, object]]:
    """The same of so many functions within functions."""
    function = inspect.unwrap(function) if isinstance(function, Callable) else function
    owner, plain = getattr(function, "__self__", None), getattr(function, "__func__", function)
    if owner is not None and not isinstance(owner, ModuleType):
        yield from parts("self", owner)
    found = read_by(plain) if depth else {}
    for name, value in found.items():
        yield from parts(name, value)
    for value in found.values():
        if isinstance(getattr(value, "__code__", None), CodeType) or hasattr(value, "__func__") or hasattr(value, "__wrapped__"):
            yield from values(value, depth - 1)


def read_by(function: Any) -> dict[str, object]:  # noqa: ANN401 - the user's
    """What a function closes over and the globals that it names, also in functions within it."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return {}
    found: dict[str, object] = {name: function.__globals__[name] for one in codes(code) for name in one.co_names if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # nothing was put in yet
            continue
    return found


def codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of functions written within it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from codes(one)


def parts(name: str, value: object) -> Iterator[tuple[str, object]]:
    """A value and what it consists of: the leaves of a pytree, the attributes of an object."""
    if isinstance(value, ModuleType | type) or isinstance(getattr(value, "__code__", None), CodeType):
        return
    for path, leaf in tree_flatten_with_path(value)[0]:
        called = name + keystr(path)
        yield called, leaf
        if not hasattr(leaf, "dtype"):
            for attribute, held in getattr(leaf, "__dict__", {}).items():
                for inner, each in tree_flatten_with_path(held)[0]:
                    yield f"{called}.{attribute}{keystr(inner)}", each
