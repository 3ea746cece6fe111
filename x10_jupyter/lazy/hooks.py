"""What the runtime leaves in JAX and in Python, so that tensors can be passed to it and changes of its settings are heard; and how it is taken out again."""

import logging

import jax
from jax.core import ShapedArray

from x10_jupyter.base.config import config
from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.array_type import register_array_type, unregister_array_type
from x10_jupyter.lazy import persistent, surface
from x10_jupyter.lazy.avals import spec_as_said
from x10_jupyter.lazy.collector import COLLECTOR
from x10_jupyter.lazy.local import Watch
from x10_jupyter.lazy.read import for_jax
from x10_jupyter.lazy.tensor import Tensor
from x10_jupyter.lazy.value import Value

LOG = logging.getLogger(__name__)


def install() -> None:
    """Put the hooks in; harmless when they are there."""
    surface.install()
    Watch.start()
    persistent.start()
    try:
        register_array_type(Tensor, typeof, concrete)
    except UnsupportedJaxError as error:
        LOG.warning("Tensors cannot be passed to JAX's own functions: %s Pass `.data` instead.", error)
    COLLECTOR.switch(config.now.gc_freeze)


def uninstall() -> None:
    """Leave JAX as it was. The runtime goes on working: operations look for changed settings themselves, and JAX refuses tensors."""
    COLLECTOR.switch(is_on=False)
    Watch.stop()
    persistent.stop()
    unregister_array_type(Tensor)


def typeof(t: Value) -> ShapedArray:
    """What a tensor's array is like; never computes."""
    return spec_as_said(t.aval)


def concrete(t: Value) -> jax.Array:
    """A tensor's array, for JAX: a read; refused where a gradient would be lost."""
    return for_jax(t, "jax")
