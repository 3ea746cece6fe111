"""What can be seen of an object: whether it is a library's, whether it is its attributes and nothing else."""

import functools
import sys
import types
from typing import Any

import jax
import numpy as np

from x10_jupyter.base.frames import is_ours_or_library

FIXED = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type(jax.numpy.sin),
    type(jax.jit(abs)),
    jax.custom_jvp,
    jax.custom_vjp,
)
"""Known by identity: nothing in them changes."""
SIMPLE = (str, bytes, bool, type(None), type(...), type(NotImplemented), np.dtype)


def is_empty(cell: types.CellType) -> bool:
    """Whether a closure cell has no value yet."""
    try:
        cell.cell_contents  # noqa: B018 - reading it is the test
    except ValueError:
        return True
    return False


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
    if cls.__module__ == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return module is None or file is None or is_ours_or_library(file)


def is_wrapped_library(x: object) -> bool:
    """Whether an object is a library's callable, such as ``jax.nn.relu`` or a jitted function of it."""
    wrapped = getattr(x, "__wrapped__", None)
    return isinstance(wrapped, types.FunctionType) and not isinstance(x, types.FunctionType) and is_ours_or_library(wrapped.__code__.co_filename)


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
    """The function of a static method, class method or property."""
    if isinstance(part, (staticmethod, classmethod)):
        return part.__func__
    if isinstance(part, property):
        return (part.fget, part.fset)
    return part


def is_plain(kind: type) -> bool:
    """Whether an object of a class is its attributes and nothing else."""
    return all(base is object or (not is_library_class(base) and not vars(base).get("__slots__")) for base in kind.__mro__)
