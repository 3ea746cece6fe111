"""JAX's configuration and our own, as far as they change what an operation means: 64-bit types, precision, promotion and the like."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.config import config
from x10_jupyter.jax_gate.context import trace_context
from x10_jupyter.jax_gate.device_mesh import NAME as MESH
from x10_jupyter.jax_gate.device_mesh import device_mesh
from x10_jupyter.jax_gate.entered import entered

DEVICE = "jax_default_device"
PRNG = "jax_default_prng_impl"
X64 = "jax_enable_x64"


def x64_is_on() -> bool:
    """Whether 64-bit types are enabled on this thread."""
    return bool(getattr(jax.config, X64))  # as an attribute it is unknown to type checkers


class Switches(NamedTuple):
    """Our own settings that change what an operation means."""

    use_bf16: bool = False
    use_32bit_long: bool = False
    """Only where there are 64-bit types."""
    no_special_scalars: bool = False

    @classmethod
    def now(cls) -> "Switches":
        """As they are set, on this thread."""
        now = config.now
        return Switches(now.use_bf16, now.use_32bit_long and x64_is_on(), now.no_special_scalars)


REDUCED = np.dtype(jnp.bfloat16)
WIDE = (np.dtype(np.float32), np.dtype(np.float64))
"""The dtypes that have a reduced form. Others, such as ``float16`` or ``complex64``, have none and go with either."""
LONG = {np.dtype(np.int64): np.dtype(np.int32), np.dtype(np.uint64): np.dtype(np.uint32)}


class Context:
    """One configuration; make one with ``current``: equal ones are the same object."""

    __slots__ = ("default_device", "devices", "holds", "key", "mesh", "places", "settings", "switches", "x64")

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.settings: tuple[Any, ...] = key[0]
        """JAX's own trace context."""
        self.x64 = x64_is_on()
        self.default_device: Any = getattr(jax.config, DEVICE)
        """A device, the name of a kind of devices, or None for the first there is."""
        self.mesh: Any = key[2]
        """That of ``jax.set_mesh``, or None."""
        self.devices: tuple[Any, ...] | None = None if self.mesh is None else tuple(self.mesh.devices.flat)
        """Those that everything is on while there is a mesh; None without."""
        self.switches: Switches = key[3]
        reduced = dict.fromkeys(WIDE, REDUCED) if self.switches.use_bf16 else {}
        self.holds: Mapping[Any, Any] = MappingProxyType({**reduced, **(LONG if self.switches.use_32bit_long else {})})
        """The dtypes that the device holds as others, which are narrower."""
        self.places: dict[Any, Any] = {}
        """What is known of the shardings that were met."""


ALSO = (PRNG, MESH)
"""Settings that change what an operation means and that JAX leaves out of its trace context."""
_KNOWN: dict[tuple[Any, ...], Context] = {}
MOST = 256
"""Configurations remembered; programs only use a few."""


def current() -> Context:
    """The configuration in force on this thread."""
    key = (trace_context(), getattr(jax.config, PRNG), device_mesh(), Switches.now())
    context = _KNOWN.get(key)
    if context is None:
        if len(_KNOWN) >= MOST:
            del _KNOWN[next(iter(_KNOWN))]
        context = _KNOWN.setdefault(key, Context(key))
    return context


def in_force(context: Context) -> AbstractContextManager[None]:
    """Has JAX's settings be those of a configuration, on this thread, until the block ends."""
    return nullcontext() if current() is context else entered(context.settings, context.mesh)
