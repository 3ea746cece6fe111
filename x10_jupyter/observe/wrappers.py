"""Calls of `jax.jit` that a library makes for the user, as the user made them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.core import ShapedArray

from x10_jupyter.jax_gate.tree_level import level_of


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


def is_no_array(leaf: object) -> bool:
    """Whether Equinox holds a leaf for static."""
    return not isinstance(leaf, jax.Array | np.ndarray | np.generic | ShapedArray)


def asked(fun: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Asked:  # noqa: ANN401 - whatever was given to jax.jit
    """What the user called: what was given to `jax.jit`, or what a library that is known here made of it."""
    code = getattr(fun, "__code__", None)
    if code is not None and code.co_name == "fun_wrapped" and code.co_filename.endswith("/equinox/_jit.py"):
        try:
            found = equinox(args)
        except (KeyError, TypeError, ValueError):
            found = None
        if found is not None:
            return found
    return Asked(fun, args, kwargs)
