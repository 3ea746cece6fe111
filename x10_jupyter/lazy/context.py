"""JAX's configuration, as far as it changes what an operation means: 64-bit types, precision, promotion and the like."""

from typing import Any

import jax

from x10_jupyter.jax_gate.context import trace_context

PRNG = "jax_default_prng_impl"
X64 = "jax_enable_x64"


def x64_is_on() -> bool:
    """Whether 64-bit types are enabled on this thread."""
    return bool(getattr(jax.config, X64))  # as an attribute it is unknown to type checkers


class Context:
    """One configuration; make one with ``current``: equal ones are the same object."""

    __slots__ = ("key", "settings", "x64")

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.settings: tuple[Any, ...] = key[0]
        """JAX's own trace context."""
        self.x64 = x64_is_on()


ALSO = (PRNG,)
"""Settings that change what an operation means and that JAX leaves out of its trace context."""
_KNOWN: dict[tuple[Any, ...], Context] = {}
MOST = 256
"""Configurations remembered; programs only use a few."""


def current() -> Context:
    """The configuration in force on this thread."""
    key = (trace_context(), getattr(jax.config, PRNG))
    context = _KNOWN.get(key)
    if context is None:
        if len(_KNOWN) >= MOST:
            del _KNOWN[next(iter(_KNOWN))]
        context = _KNOWN.setdefault(key, Context(key))
    return context
