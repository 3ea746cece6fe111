"""One level of a pytree: what it is made of, and under which names."""

from collections.abc import Hashable

import jax

from x10_jupyter.jax_gate.private import Private


def level_of(value: Private) -> tuple[list[tuple[str, Private]], Hashable] | None:
    """What a node of a pytree holds, each with the way to it, ``['w']`` or ``.step`` or ``[0]``; and what else makes it what it is.

    ``jax.tree_util`` has no public way to one level with names. Tried on jax 0.10.2 and 0.12.0.1.

    Returns:
        None if the value is a leaf.
    """
    found = jax.tree_util.default_registry.flatten_one_level_with_keys(value)
    if found is None:
        return None
    children, extra = found
    fields = getattr(type(value), "_fields", None) if isinstance(value, tuple) else None
    if fields:  # JAX calls all fields of a named tuple by the name of the first
        return [(f".{name}", child) for name, child in zip(fields, value, strict=True)], type(value)
    return [(str(key), child) for key, child in children], extra
