"""Which of JAX's public functions the user has called, where JAX compiles one of its own in it: ``jnp.sum``, not ``_reduce_sum``."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import FrameType

from x10_jupyter.jax_gate.eager_operation import is_jax_code
from x10_jupyter.jax_gate.private import Private

SPACES = {
    "jnp": "jax.numpy", "jnp.linalg": "jax.numpy.linalg", "jnp.fft": "jax.numpy.fft", "jax.nn": "jax.nn", "jax.random": "jax.random",
    "jax.lax": "jax.lax", "jax.scipy.special": "jax.scipy.special", "jax": "jax",
}  # fmt: skip
"""Namespaces, as users write them."""


@dataclass(frozen=True, slots=True)
class PublicCall:
    """A call of one of JAX's public functions."""

    name: str
    """As users write it: ``jnp.sum``."""

    paths: Mapping[int, str]
    """Of the arrays that are its arguments, or items of these, by their place among those looked for: ``arrays[1]``."""


def public_call(frame: FrameType | None, leaves: Sequence[Private]) -> PublicCall | None:
    """The public function of JAX's that the user has called.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None, so that a function is told by the name that JAX has for it.

    Args:
        frame: One of JAX's, within that call.
        leaves: The arrays whose names are looked for.

    Returns:
        None if there is none on the stack: operators of arrays are none, and functions that never enter Python.
    """
    found: tuple[str, FrameType] | None = None
    while frame is not None and is_jax_code(frame.f_code.co_filename):
        name = public_name(frame)
        if name:
            found = name, frame  # the outermost is the user's
        frame = frame.f_back
    if found is None:
        return None
    held = dict(arguments_of(found[1]))
    paths: dict[int, str] = {}
    for place, leaf in enumerate(leaves):
        path = next((path for path, value in held.items() if value is leaf), "")
        if path:
            paths[place] = path
            del held[path]
    return PublicCall(found[0], paths)


def public_name(frame: FrameType) -> str:
    """What users call the function that runs in a frame; empty if it is none of theirs."""
    name = frame.f_code.co_name
    if name.startswith("_"):
        return ""
    for short, module in SPACES.items():
        fun = getattr(import_module(module), name, None)
        if callable(fun) and getattr(inspect.unwrap(fun), "__code__", None) is frame.f_code:
            return f"{short}.{name}"
    return ""


def arguments_of(frame: FrameType) -> Iterator[tuple[str, Private]]:
    """The arguments of the function that runs in a frame, and the items of those that are lists or tuples."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        yield name, value
        if isinstance(value, list | tuple):
            yield from ((f"{name}[{index}]", item) for index, item in enumerate(value))
