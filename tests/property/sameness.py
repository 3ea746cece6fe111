"""Whether a lazy result is what JAX gives: structure, shapes, dtypes, weak types and values."""

from typing import Any

import jax
import numpy as np

from x10_jupyter.base.errors import X10Error
from x10_jupyter.lazy.tensor import Tensor


def difference(lazy: Any, eager: Any, *, exact: bool = True) -> str:
    """What is different, or an empty text.

    Args:
        lazy: Our result: a pytree of tensors and other things.
        eager: JAX's.
        exact: Whether floating-point values must agree to the last bit, but for nan's payload.
    """
    ours, tree = jax.tree.flatten(lazy)
    theirs, their_tree = jax.tree.flatten(eager)
    if tree != their_tree:
        return f"structure {tree}, not {their_tree}"
    return next(filter(None, (leaf_difference(a, b, exact=exact) for a, b in zip(ours, theirs, strict=True))), "")


def leaf_difference(a: Any, b: Any, *, exact: bool) -> str:
    """The same for two leaves."""
    if isinstance(b, jax.Array) and isinstance(a, Tensor):
        return tensor_difference(a, b, exact=exact)
    if isinstance(b, jax.Array) or isinstance(a, Tensor):
        return f"{type(a).__name__}, not {type(b).__name__}"
    if isinstance(b, np.ndarray | np.generic):
        same = type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=b.dtype.kind in "fc")
    elif callable(b) and not isinstance(b, type):
        same = callable(a)
    else:
        same = type(a) is type(b) and (a is b or a == b or repr(a) == repr(b))
    return "" if same else f"{a!r}, not {b!r}"


def tensor_difference(a: Any, b: jax.Array, *, exact: bool) -> str:
    """The same for a tensor and an array."""
    if kind_of(a) != kind_of(b):
        return f"{kind_of(a)}, not {kind_of(b)}"
    data = a.data
    if kind_of(data) != kind_of(b):
        return f"said {kind_of(a)} but is {kind_of(data)}"
    return value_difference(*map(plain, (data, b)), exact=exact)


def kind_of(x: Any) -> tuple[Any, ...]:
    """Shape, dtype and weak type; keys of `jax.random` have none."""
    return x.shape, x.dtype, getattr(x, "weak_type", False)


def plain(x: jax.Array) -> np.ndarray:
    """The values, of a random key's the data."""
    return np.asarray(jax.random.key_data(x) if jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key) else x)


def value_difference(a: np.ndarray, b: np.ndarray, *, exact: bool) -> str:
    """How values differ."""
    if exact or not jax.numpy.issubdtype(a.dtype, jax.numpy.inexact):
        same = a.tobytes() == b.tobytes() or all((equal_bits(x, y)) for x, y in zip(a.ravel(), b.ravel(), strict=True))
        return "" if same else f"{a!r}, not {b!r}"
    kind = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(kind), b.astype(kind)
    finite = np.abs(y[np.isfinite(y)])
    slack = tolerance(b.dtype) * max(1.0, float(finite.max(initial=0)))
    return "" if np.allclose(x, y, rtol=tolerance(b.dtype), atol=slack, equal_nan=True) else f"{a!r}, not {b!r}"


def equal_bits(x: Any, y: Any) -> bool:
    """Whether two numbers are the same, -0.0 and 0.0 told apart; every nan is like any other."""
    return x.tobytes() == y.tobytes() or bool(x != x and y != y)


def tolerance(dtype: Any) -> float:
    """How much rounding may differ when operations are fused."""
    return 64 * float(jax.numpy.finfo(dtype).eps)


def outcome(fn: Any, *args: Any, **kwargs: Any) -> tuple[Any, Exception | None]:
    """A function's result, or what it raised."""
    try:
        return fn(*args, **kwargs), None
    except Exception as error:  # noqa: BLE001 - both sides may raise anything
        return None, error


def refusal_difference(ours: Exception | None, theirs: Exception | None) -> str:
    """How two outcomes differ in raising: both must, or neither."""
    if (ours is None) != (theirs is None):
        return f"raised {ours!r}, not {theirs!r}"
    if isinstance(theirs, TypeError | ValueError) and not isinstance(ours, TypeError | ValueError | X10Error):
        return f"raised {ours!r}, not {theirs!r}"
    return ""


def read_all(result: Any) -> None:
    """Read every tensor of a result."""
    for x in jax.tree.leaves(result):
        if isinstance(x, Tensor):
            np.asarray(plain(x.data))
