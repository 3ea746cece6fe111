"""Going back to settings that were in force before."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from x10_jupyter.jax_gate.context import FIX, trace_context, trace_context_names
from x10_jupyter.jax_gate.private import private


@contextmanager
def entered(context: tuple[Any, ...]) -> Iterator[None]:
    """Put an earlier result of ``trace_context()`` in force on this thread, until the block ends.

    Settings that cannot be found again by name stay as they are. Tried on jax 0.10.2.
    """
    changed = []
    for name, old, now in zip(trace_context_names(), context, trace_context(), strict=False):
        if old is not now and old != now:
            setting = setting_called(name)
            if setting is not None:
                changed.append((setting, setting.swap_local(old)))
    try:
        yield
    finally:
        for setting, before in reversed(changed):
            setting.set_local(before)


def setting_called(name: str) -> Any:  # noqa: ANN401 - JAX's class of settings is private
    """The setting of this name, or None."""
    states: Any = private("jax._src.config", "config_states", fix=FIX)
    if name in states:
        return states[name]
    try:
        return private("jax._src.config", name, fix=FIX)
    except ImportError:
        return None
