"""The settings under which JAX gives a traced function its meaning, and how two such sets differ."""

import enum
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from x10_jupyter.jax_gate.private import private

FIX = "Install a JAX that this package was tried with: jax 0.10.2 (Python 3.11) or 0.12.0.1."

# Tried on jax 0.10.2 and 0.12.0.1. Gone: UnsupportedJaxError on import, since without it a stale program could be run.
trace_context: Callable[[], tuple[Any, ...]] = private("jax._src.config", "trace_context", fix=FIX)
"""The values of all settings that JAX puts into its own cache keys, on this thread: hashable, 0.12 µs.

Not in it, on the versions tried, although they change what a call does: ``jax_debug_nans``, ``jax_debug_infs``, ``jax_default_prng_impl`` and
``jax_legacy_prng_key``, ``jax_transfer_guard``, and on jax 0.10.2 the devices of the mesh set by ``jax.set_mesh`` (its abstract mesh is in it).
"""


def settled_context() -> tuple[Any, ...]:
    """As ``trace_context()``; see `settled`."""
    return settled(trace_context())


def settled(context: tuple[Any, ...]) -> tuple[Any, ...]:
    """A result of ``trace_context()`` in which a mesh without axes, as JAX sets within its transformations, is none."""
    return tuple(None if type(value).__name__ in MESHES and getattr(value, "empty", False) else value for value in context)


MESHES = {"AbstractMesh", "Mesh"}
TEXT_LIMIT = 120
NO_SETTING = "not set"


def trace_context_names() -> tuple[str, ...]:
    """The names of the entries of ``trace_context()``, in its order; the newest entries are last.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: the entries are called ``setting 0``, ``setting 1``, …
    """
    try:
        return tuple(private("jax._src.config", "trace_context_names", fix=FIX)())
    except (ImportError, NotImplementedError):
        return tuple(f"setting {index}" for index in range(len(trace_context())))


def context_difference(old: tuple[Any, ...], new: tuple[Any, ...]) -> list[tuple[str, str, str]]:
    """What changed between two results of ``trace_context()``.

    Args:
        old: The earlier one.
        new: The later one; it is longer when a setting was added in between.

    Returns:
        The name, the old and the new value of every entry that differs. The name is what ``jax.config.update`` takes, or a
        description if the setting has no such name (a mesh, the axis names of a ``vmap``, a user context).
    """
    absent = object()
    return [
        (readable_name(name), NO_SETTING if before is absent else readable(before), NO_SETTING if after is absent else readable(after))
        for name, before, after in zip_longest(trace_context_names(), old, new, fillvalue=absent)
        if before is not after and (before is absent or after is absent or before != after)
    ]


def readable_name(name: object) -> str:
    """The name of an entry as a person would say it."""
    if not isinstance(name, str):
        return "unnamed setting"
    return name if name.startswith("jax_") else name.removesuffix("_context_manager").removesuffix("_state").replace("_", " ")


def readable(value: object) -> str:
    """The value of an entry as a person would write it."""
    if isinstance(value, enum.Enum):
        return readable(value.value) if isinstance(value.value, str) else value.name
    if type(value).__repr__ is object.__repr__:
        fields = getattr(type(value), "__slots__", None) or getattr(value, "__dict__", {})
        text = ", ".join(f"{field}={getattr(value, field)!r}" for field in fields if not field.startswith("_") and field != "hash" and hasattr(value, field))
        text = f"{type(value).__name__}({text})"
    else:
        text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= TEXT_LIMIT else f"{text[: TEXT_LIMIT - 1]}…"
