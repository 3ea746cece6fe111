"""What `jax.jit` was told beside the function."""

from typing import Any

OPTIONS = {
    "static_argnums": "static_argnums", "static_argnames": "static_argnames", "donate_argnums": "donate_argnums", "donate_argnames": "donate_argnames",
    "in_shardings_leaves": "in_shardings", "out_shardings_leaves": "out_shardings", "in_layouts_leaves": "in_shardings", "out_layouts_leaves": "out_shardings",
    "device": "device", "backend": "backend", "keep_unused": "keep_unused", "inline": "inline", "compiler_options_kvs": "compiler_options",
}  # fmt: skip
"""What JAX calls them, and what the user does."""

MOST_LETTERS = 4000
"""Of an option that are compared."""


def options_of(info: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - JAX's
    """The options that were given, each with its text. What this JAX does not have is left out.

    Args:
        info: What JAX made of them; see `CompilingCall.info`.
    """
    found: dict[str, str] = {}
    for theirs, name in OPTIONS.items():
        value = getattr(info, theirs, None)
        if value and not is_default(value):
            text = placed(value) if "shardings" in name else repr(value)
            found[name] = f"{found[name]}, {text}" if name in found else text[:MOST_LETTERS]
    for what in ("static", "donate"):  # JAX finds either out of the other
        if f"{what}_argnums" in found:
            found.pop(f"{what}_argnames", None)
    return tuple(found.items())


def placed(value: Any) -> str:  # noqa: ANN401 - JAX's
    """Shardings, as users write them."""
    if isinstance(value, tuple):
        return placed(value[0]) if len(value) == 1 else f"({', '.join(map(placed, value))})"
    mesh, spec = getattr(value, "mesh", None), getattr(value, "spec", None)
    if mesh is None or spec is None:
        return "not given" if type(value).__name__ == "UnspecifiedValue" else repr(value)
    return f"{spec} of mesh({', '.join(f'{name}={size}' for name, size in zip(mesh.axis_names, mesh.axis_sizes, strict=True))})"


def is_default(value: Any) -> bool:  # noqa: ANN401 - JAX's
    """Whether JAX decides itself, as it does for what was not given."""
    if isinstance(value, tuple):
        return all(one is None or type(one).__name__ == "UnspecifiedValue" for one in value)
    return getattr(value, "name", "") == "AUTO"
