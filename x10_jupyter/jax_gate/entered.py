"""Going back to settings that were in force before."""

from collections.abc import Iterator
from contextlib import contextmanager

from x10_jupyter.jax_gate.context import FIX, trace_context, trace_context_names
from x10_jupyter.jax_gate.device_mesh import NO_MESH, SETTING, device_mesh
from x10_jupyter.jax_gate.private import Private, private


@contextmanager
def entered(context: tuple[object, ...], mesh: Private = None) -> Iterator[None]:
    """Put an earlier result of ``trace_context()``, and of ``device_mesh()``, in force on this thread, until the block ends.

    Settings that cannot be found again by name stay as they are. Tried on jax 0.10.2 and 0.12.0.1.
    """
    changed: list[tuple[Private, Private]] = []
    try:
        if device_mesh() is not mesh:
            put(SETTING, NO_MESH if mesh is None else mesh, changed)
        for name, old, now in zip(trace_context_names(), context, trace_context(), strict=False):
            if old is not now and old != now:
                setting = setting_called(name)
                if setting is not None:
                    put(setting, old, changed)
        yield
    finally:
        for setting, before in reversed(changed):
            setting.set_local(before)


def put(setting: Private, value: Private, changed: list[tuple[Private, Private]]) -> None:
    """Set a setting on this thread; what it was is noted first, so that an interrupt leaves none that nobody sets back."""
    changed.append((setting, setting.get_local()))
    setting.set_local(value)


HOMES = ("jax._src.config", "jax._src.mesh")
"""Where JAX keeps the settings that are no flags: all in the first on jax 0.10.2, meshes in the second on 0.12.0.1."""


def setting_called(name: str) -> Private:
    """The setting of this name, or None: a user context has no name of its own, and only matters to JAX's caches."""
    states = private("jax._src.config", "config_states", fix=FIX)
    if name in states:
        return states[name]
    for home in HOMES:
        try:
            setting = private(home, name, fix=FIX)
        except ImportError:
            continue
        if hasattr(setting, "swap_local"):
            return setting
    return None
