"""Whether JAX has a back end, so that whoever only looks at devices doesn't make it choose one."""

import jax

from x10_jupyter.jax_gate.private import private
from x10_jupyter.jax_gate.tracing import FIX

INITIALISED = private("jax._src.xla_bridge", "backends_are_initialized", fix=FIX)


def has_back_end() -> bool:
    """Whether JAX has chosen its platform and found devices. Until then a program may still set either, or join others by ``jax.distributed``.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError.
    """
    return bool(INITIALISED())


def live_arrays() -> list[jax.Array]:
    """All arrays that something refers to; none if JAX has no back end, which it is not made to choose."""
    return jax.live_arrays() if has_back_end() else []
