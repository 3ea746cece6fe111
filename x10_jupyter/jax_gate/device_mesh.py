"""The mesh that ``jax.set_mesh`` has put in force, with its devices."""

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.context import FIX
from x10_jupyter.jax_gate.private import Private, private

NAME = "device_context"
"""What JAX calls the setting."""

# In JAX's own cache keys, and yet not in its trace context, which only says what the mesh looks like. Gone: UnsupportedJaxError on import, since
# without it a program could be run on the devices of another mesh.
try:
    SETTING = private("jax._src.config", NAME, fix=FIX)  # jax 0.10.2
except UnsupportedJaxError:
    SETTING = private("jax._src.mesh", NAME, fix=FIX)  # jax 0.12.0.1
NO_MESH: Private = SETTING.get_global()
"""The setting while there is none."""


def device_mesh() -> Private:
    """The mesh in force on this thread; None if there is none. 0.1 µs."""
    mesh = SETTING.value
    return None if mesh is NO_MESH else mesh
