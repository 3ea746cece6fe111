"""What can be seen of an object: whether it is a library's, whether it is its attributes and nothing else."""

import functools
import sys
import types
from typing import Any

import jax
import numpy as np

from x10_jupyter.base.frames import is_ours_or_library

JITTED = type(jax.jit(abs))

FIXED = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type(jax.numpy.sin),
    JITTED,
)
"""Known by identity: nothing in them changes."""
SIMPLE = (str, bytes, bool, type(None), type(...), type(NotImplemented), np.dtype)


def is_hashable(x: object) -> bool:
    """Whether an object has a hash."""
    try:
        hash(x)
    except Exception:  # noqa: BLE001 - a user's __hash__ may raise anything
        return False
    return True


def is_user_module(module: types.ModuleType) -> bool:
    """Whether a module is the user's own file."""
    file = getattr(module, "__file__", None)
    return file is not None and not is_ours_or_library(file)


@functools.lru_cache(maxsize=1024)
def is_library_class(cls: type) -> bool:
    """Whether a class comes from a library or from Python."""
    module = sys.modules.get(cls.__module__)
    if module is None or cls.__module__ == "__main__":
        return False
    if cls.__module__ == "builtins":  # what code that runs under no module's name defines says so, too
        return getattr(module, cls.__name__, None) is cls or not cls.__flags__ & MADE_IN_PYTHON
    file = getattr(module, "__file__", None)
    return file is None or is_ours_or_library(file)


MADE_IN_PYTHON = 1 << 9
"""A class's flag: it was made while the program ran."""


def is_wrapped_library(x: object) -> bool:
    """Whether an object is a library's callable, such as ``jax.nn.relu`` or a jitted function of it."""
    if isinstance(x, types.FunctionType) or not is_library_class(type(x)):
        return False
    wrapped: Any = getattr(x, "__wrapped__", None)
    while not isinstance(wrapped, types.FunctionType) and hasattr(wrapped, "__wrapped__"):  # jax.nn.relu has jax.jit inside jax.custom_jvp
        wrapped = wrapped.__wrapped__
    return isinstance(wrapped, types.FunctionType) and is_ours_or_library(wrapped.__code__.co_filename)


def is_part(name: str, part: object) -> bool:
    """Whether something in a class may change what its methods do."""
    return not (name.startswith("__") and not callable(unwrapped(part))) and name not in {
        "__weakref__",
        "__dict__",
        "__class__",
        "__firstlineno__",
        "__static_attributes__",
    }


def unwrapped(part: Any) -> Any:
    """The function of a static method, class method, property or cached property."""
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__
    if isinstance(part, property):
        return (part.fget, part.fset)
    if isinstance(part, functools.cached_property):  # which has a lock on Python 3.11
        return part.func
    return part


def is_attributes(kind: type) -> bool:
    """Whether an object of a class is its attributes and nothing else."""
    return all(base is object or (base.__flags__ & MADE_IN_PYTHON and not vars(base).get("__slots__")) for base in kind.__mro__)


def is_plain(kind: type) -> bool:
    """Whether an object of a class is its attributes, and all of its classes are the user's."""
    return is_attributes(kind) and not any(is_library_class(base) for base in kind.__mro__ if base is not object)


def attributes_of(x: object) -> set[str]:
    """The names of what an object holds, in its dict and in its slots."""
    slots = [vars(base).get("__slots__", ()) for base in type(x).__mro__]
    return {*getattr(x, "__dict__", ()), *[name for names in slots for name in ([names] if isinstance(names, str) else names)]}
