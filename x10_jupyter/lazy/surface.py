"""Gives tensors every method and property that a ``jax.Array`` has and ``Tensor`` does not define itself."""

import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from x10_jupyter.jax_gate.array_surface import Needs, array_methods, array_properties
from x10_jupyter.lazy.arithmetic import method_of
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.local import tensor_of
from x10_jupyter.lazy.placing import recording
from x10_jupyter.lazy.read import buffer, looked_at, refuse_taped, told
from x10_jupyter.lazy.tensor import Tensor, array_or_host


def install() -> None:
    """Add what is missing."""
    own = set(dir(Tensor))
    for name, needs in array_methods().items():
        if name not in own:
            setattr(Tensor, name, recorded(name) if needs is Needs.GRAPH or is_function(name) else reading(name))
    for name, needs in array_properties().items():
        if name not in own:
            getter = property_of(name) if needs is Needs.GRAPH else reading_property(name)
            setattr(Tensor, name, property(getter, doc=getattr(getattr(jax.Array, name, None), "__doc__", None)))


def is_function(name: str) -> bool:
    """Whether a method that needs values, such as ``nonzero``, is a function of arrays all the same, and so a fallback, not a read."""
    return hasattr(jax.Array, name) and hasattr(jnp, name)


def recorded(name: str) -> Callable[..., Any]:
    """A method that is recorded."""
    original = getattr(jax.Array, name, None)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    call.__doc__ = getattr(original, "__doc__", None)
    return like(original, method_of(recording(like(original, call), name, like=original)))


def property_of(name: str) -> Callable[[Tensor], Any]:
    """A property that is recorded."""
    lazy = Lazy(lambda self: getattr(self, name), name=name)
    return lambda self: lazy(self)


def reading(name: str) -> Callable[..., Any]:
    """A method that needs the array itself."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if name in OF_THE_HOST:
            return getattr(array_or_host(self, f".{name}()"), name)(*args, **kwargs)
        held = buffer(self, f".{name}()")
        with told(self):
            return handed_back(self, getattr(held, name)(*args, **kwargs), f".{name}()")

    method.__name__ = name
    method.__doc__ = getattr(getattr(jax.Array, name, None), "__doc__", None)
    return like(getattr(jax.Array, name, None), method)


def like(original: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which shows the parameters of the one of JAX's that it stands for."""
    if isinstance(original, types.FunctionType):
        vars(method)["__wrapped__"] = original  # where `inspect.signature` looks
    return method


OF_THE_HOST = ("item", "tolist", "tobytes")
"""Methods that give the value to the host; the others concern what the device holds."""


def reading_property(name: str) -> Callable[[Tensor], Any]:
    """A property that needs the array itself."""
    return lambda self: getattr(looked_at(self, f".{name}"), name)


def handed_back(t: Tensor, result: Any, how: str) -> Any:
    """What a method of the array returned, as the user of a tensor expects it."""
    if result is t.held:
        return t
    if not isinstance(result, jax.Array):
        return result
    refuse_taped(t, how)
    return tensor_of(result, t.aval.dtype if result.dtype == t.aval.held_as else None)
