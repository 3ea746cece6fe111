"""JAX's namespaces with every array function recorded: one mechanism for all of them, and nothing listed by hand."""

import types
from collections.abc import Callable
from typing import Any

import jax

from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.placing import recording

STANDARD = ("__array_api_version__", "__array_namespace_info__")
"""What the array API standard has a namespace tell of itself."""


def wrapped(name: str, member: Any) -> Any:
    """A member of a namespace: a function is recorded, a module is wrapped in turn, a class or a constant is itself."""
    if isinstance(member, types.ModuleType):
        return Namespace(member)
    if is_dtype(member):
        return recording_dtype(member)
    if isinstance(member, type) or not callable(member):
        return member
    return recording(member, name)


def is_dtype(member: object) -> bool:
    """Whether something is one of JAX's dtypes, such as ``jnp.float32``, which makes an array when called."""
    return isinstance(member, type(jax.numpy.float32))


def recording_dtype(member: Any) -> Any:
    """The same dtype, equal to JAX's, which records the conversion when called."""
    convert = Lazy(member, follows_values=True)
    meta = type(type(member).__name__, (type(member),), {"__call__": lambda _cls, x: convert(x), "__doc__": type(member).__doc__})
    return meta(member.__name__, (object,), {"dtype": member.dtype, "__module__": "x10_jupyter.numpy", "__doc__": member.__doc__})


class Namespace:
    """A module of JAX inside another, such as ``x10_jupyter.nn.initializers``."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self.__name__ = module.__name__
        self.__doc__ = module.__doc__

    def __getattr__(self, name: str) -> Any:
        member = wrapped(name, getattr(self._module, name))
        setattr(self, name, member)
        return member

    def __dir__(self) -> list[str]:
        return dir(self._module)


def members(module: types.ModuleType, into: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module that offers what a module of JAX offers, wrapped when first asked for.

    Args:
        module: JAX's.
        into: Our module's globals, which keep what was asked for.
    """

    def get(name: str) -> Any:
        if name.startswith("__") and name not in STANDARD:
            raise AttributeError(f"module {into['__name__']!r} has no attribute {name!r}")
        try:
            member = getattr(module, name)
        except AttributeError:
            raise AttributeError(f"module {into['__name__']!r} has no attribute {name!r}: {module.__name__} has none either") from None
        into[name] = made = member if name in STANDARD else wrapped(name, member)
        return made

    def names() -> list[str]:
        return sorted({*into, *[n for n in dir(module) if not n.startswith("_")]})

    return get, names
