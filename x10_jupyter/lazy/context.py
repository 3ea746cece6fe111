"""JAX's configuration, as far as it changes what an operation means: 64-bit types, precision, promotion and the like."""

from typing import Any

import jax

from x10_jupyter.jax_gate.context import trace_context


class Context:
    """One configuration; make one with ``current``: equal ones are the same object."""

    __slots__ = ("key", "settings", "x64")

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.settings: tuple[Any, ...] = key[0]
        """JAX's own trace context."""
        self.x64 = bool(jax.config.jax_enable_x64)


ALSO = ("jax_default_prng_impl",)
"""Settings that change what an operation means and that JAX leaves out of its trace context."""
_KNOWN: dict[tuple[Any, ...], Context] = {}
MOST = 256
"""Configurations remembered; programs only use a few."""


def current() -> Context:
    """The configuration in force on this thread."""
    key = (trace_context(), jax.config.jax_default_prng_impl)
    context = _KNOWN.get(key)
    if context is None:
        if len(_KNOWN) >= MOST:
            del _KNOWN[next(iter(_KNOWN))]
        context = _KNOWN.setdefault(key, Context(key))
    return context
