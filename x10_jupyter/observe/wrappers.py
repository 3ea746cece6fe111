"""Calls of `jax.jit` that a library makes for the user, as the user made them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray

from x10_jupyter.jax_gate.tree_level import level_of
from x10_jupyter.observe.layers import layers_of
from x10_jupyter.observe.values import text_of


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user called, and with what."""

    fun: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    is_static: Callable[[Any], bool] | None = None
    """Which leaves are static; None if `jax.jit` was told which arguments are."""

    is_tree: bool = False
    """Whether the function is a pytree, such as a model that is called, and so one more argument."""

    static_argnums: tuple[int, ...] | None = None
    """The positions of the static arguments, where `jax.jit` was told of none of them; None if it was."""

    options: tuple[tuple[str, str], ...] = ()
    """What the wrapper was told beside the function."""


def equinox(args: Sequence[Any]) -> Asked | None:
    """A call of ``equinox.filter_jit``, which takes the arguments apart into arrays and the rest. Tried on Equinox 0.13.8.

    Args:
        args: What it passes on.

    Returns:
        None if they are not as they were in that version.
    """
    donated, kept, static = args
    dynamic = {**donated, **kept}
    parts = [whole(dynamic[name], rest) for name, rest in zip(("fun", "first", "rest"), static, strict=True)]
    fun, first, (rest, kwargs) = parts
    return Asked(fun, (first, *rest)[:-1], kwargs, is_static=is_no_array, is_tree=level_of(fun) is not None)


def whole(arrays: Sequence[Any], rest: Any) -> Any:  # noqa: ANN401 - the user's values
    """A pytree of its arrays and the rest, either with None where it has nothing."""
    others, tree = rest
    return jax.tree_util.tree_unflatten(tree, [array if other is None else other for array, other in zip(arrays, others, strict=True)])


def mapped(fun: Any, args: Sequence[Any]) -> Asked | None:  # noqa: ANN401 - JAX's
    """A call of ``jax.pmap``, which makes a function of flat arguments for each way in which it is called. Tried on jax 0.10.2 and 0.12.0.1.

    Args:
        fun: The function made.
        args: The arrays that it is called with.

    Returns:
        None if it was not made by `jax.pmap`, or not as in these versions.
    """
    code = getattr(fun, "__code__", None)
    if code is None or not {"fun", "in_tree", "in_axes_flat", "out_axes"} <= set(code.co_freevars):
        return None
    made = {name: cell.cell_contents for name, cell in zip(code.co_freevars, fun.__closure__, strict=True)}
    passed, kwargs = jax.tree_util.tree_unflatten(made["in_tree"], args)
    positions = range(len(passed))
    fixed: dict[int, Any] = {}
    for _, (positions, values, *_) in made["fun"].transforms:  # what holds the static arguments
        count = len(positions) + len(values)
        fixed = dict(zip([index for index in range(count) if index not in positions], [one.val for one in values], strict=True))
    whole_args = dict(zip(positions, passed, strict=True)) | fixed
    axes, named_axes = jax.tree_util.tree_unflatten(made["in_tree"], made["in_axes_flat"])
    options = (("in_axes", text_of(shortened([shortened(axes_in(one)) for one in (*axes, *named_axes.values())]))), ("out_axes", text_of(made["out_axes"])))
    return Asked(made["fun"].f, [whole_args[index] for index in sorted(whole_args)], kwargs, static_argnums=tuple(fixed), options=options)


def axes_in(tree: Any) -> list[int | None]:  # noqa: ANN401 - the user's pytree
    """The axes of the arrays of an argument."""
    return jax.tree_util.tree_leaves(tree, is_leaf=lambda leaf: leaf is None)


def shortened(items: Sequence[Any]) -> Any:  # noqa: ANN401 - as they are
    """The one thing that all items are, or the items."""
    return items[0] if items and all(item == items[0] for item in items) else tuple(items)


def is_no_array(leaf: object) -> bool:
    """Whether Equinox holds a leaf for static."""
    return not isinstance(leaf, jax.Array | np.ndarray | np.generic | ShapedArray)


def asked(fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Asked:  # noqa: ANN401 - whatever was given to jax.jit
    """What the user called: what was given to `jax.jit`, or what a library that is known here made of it."""
    for layer in layers_of(fun):
        code = getattr(layer, "__code__", None)
        made_by = MADE_BY.get((code.co_name, code.co_filename.rpartition("/site-packages/")[2])) if code is not None else None
        if made_by is not None:
            try:
                found = made_by(layer, args)
            except (AttributeError, KeyError, TypeError, ValueError):
                found = None
            return found or Asked(fun, args, kwargs)
    return Asked(fun, args, kwargs)


MADE_BY: dict[tuple[str, str], Callable[[Any, Sequence[Any]], Asked | None]] = {
    ("fun_wrapped", "equinox/_jit.py"): lambda _, args: equinox(args),
    ("_fun", "jax/_src/pmap.py"): mapped,
}
"""What takes a call apart, by the function that it goes through."""
