"""To reduced precision and back: tensors, and pytrees of them such as models and the state of optimizers."""

from functools import lru_cache
from typing import Any

import jax
import numpy as np
from jax.tree_util import keystr, tree_leaves, tree_map, tree_map_with_path

from x10_jupyter.base.errors import OperandError
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.autodiff import apply
from x10_jupyter.lazy.avals import converted
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL, holding, on_device, tensor_of, uploaded
from x10_jupyter.lazy.narrow import check_data
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.precision import REDUCED, WIDE, is_full, narrowed
from x10_jupyter.lazy.producer import CLOCK, site_of
from x10_jupyter.lazy.read import host
from x10_jupyter.lazy.value import Value

FLOATS = (float, np.float32, np.float64)
LARGEST = float(jax.numpy.finfo(REDUCED).max)


def to_reduced_precision(tree: Any) -> Any:
    """A pytree with its ``float32`` and ``float64`` leaves in reduced precision: held as bfloat16, while their dtype stays what it is.

    Tensors, NumPy and JAX arrays become reduced tensors. Numbers go with either precision and stay as they are, and so does everything else. Tensors are
    cast by an operation, which has a gradient. Inside a function that JAX traces, arrays are cast to bfloat16.

    Args:
        tree: Tensors, arrays and numbers in any pytree.

    Returns:
        The same structure and shapes.

    Raises:
        OperandError: A finite value among the user's data is too large for bfloat16. What programs computed is cast without a look, to infinity if need be.
    """
    return tree_map_with_path(lambda path, x: reduced_leaf(x, keystr(path)), tree)


def to_full_precision(tree: Any) -> Any:
    """A pytree with its reduced tensors in full precision; everything else stays as it is.

    Args:
        tree: Tensors in any pytree.

    Returns:
        The same structure, shapes and dtypes.
    """
    return tree_map(full_leaf, tree)


def is_reduced_precision(tree: Any) -> bool:
    """Whether a pytree is in reduced precision: it has reduced tensors, and no ``float32`` or ``float64`` array that is full. Never computes."""
    kinds = [kind for x in tree_leaves(tree) if (kind := precision_of(x)) is not None]
    return bool(kinds) and all(kinds)


def precision_of(x: Any) -> bool | None:
    """Whether a leaf is reduced; None if it goes with either."""
    if isinstance(x, Value):
        return x.aval.is_reduced or (None if not is_full(x.aval) or x.aval.weak_type else False)
    if is_tracer(x):
        return {REDUCED: True, **dict.fromkeys(WIDE, False)}.get(x.dtype)
    return False if isinstance(x, (np.ndarray, jax.Array)) and x.dtype in WIDE else None


def reduced_leaf(x: Any, path: str) -> Any:
    """One leaf in reduced precision."""
    if isinstance(x, Value):
        return reduced_tensor(x, path)
    if is_tracer(x):
        return narrowed(x)
    if x.__class__ in FLOATS:
        check_fits(np.asarray(x), path)
        return x
    if isinstance(x, np.ndarray) and x.dtype.newbyteorder("=") in WIDE:
        return from_host(x, path)
    return reduced_tensor(tensor_of(x), path) if isinstance(x, jax.Array) and x.dtype in WIDE else x


def full_leaf(x: Any) -> Any:
    """One leaf in full precision."""
    if isinstance(x, Value):
        return full_tensor(x)
    return converted(x, np.dtype(np.float32), weak_type=x.weak_type) if is_tracer(x) and x.dtype == REDUCED else x


def reduced_tensor(t: Value, path: str = "") -> Any:
    """A tensor in reduced precision."""
    aval = t.aval
    if not is_full(aval):
        return t
    if is_users_data(t):
        check_fits(host(t, "to_reduced_precision"), path)
    return apply(LOCAL.trace, cast("to_reduced_precision", aval.dtype, REDUCED, aval.weak_type), (t,), ())


def narrow_tensor(t: Any) -> Any:
    """A tensor as it is held where storage is narrow; itself if it is held so, or storage is as wide as types."""
    aval, holds = t.aval, current().holds
    if aval.is_narrow or aval.dtype not in holds:
        return t
    if is_users_data(t):
        check_data(host(t, "tensor"))
    return apply(LOCAL.trace, cast("narrow", aval.dtype, holds[aval.dtype], aval.weak_type), (t,), ())


def full_tensor(t: Value) -> Any:
    """A tensor in full precision."""
    aval = t.aval
    if not aval.is_reduced:
        return t
    return apply(LOCAL.trace, cast("to_full_precision", aval.dtype, aval.dtype, aval.weak_type), (t,), ())


@lru_cache(maxsize=256)
def cast(name: str, said: Any, held_as: Any, weak_type: bool) -> Call:  # noqa: FBT001 - as of a type
    """Casts from one precision to the other."""
    key = (name, str(said), weak_type)
    return Call(name, lambda x: converted(x, held_as, weak_type=weak_type), key=key, base=name, dtypes=(said,))


def is_users_data(t: Value) -> bool:
    """Whether a tensor holds what the user gave it, not what a program computed.

    Only that is looked at: whether a computed value is there yet depends on where the last barrier was, and what it is worth does not.
    """
    tape = LOCAL.trace.tape
    held: object = t.held
    if not isinstance(held, jax.Array) or getattr(t, "origin", None) is not None or (tape is not None and tape.levels(t)):
        return False
    return held.is_fully_addressable


def check_fits(data: np.ndarray, path: str) -> None:
    """Raise if reduced precision cannot hold a value.

    Raises:
        OperandError: A finite one would become infinite.
    """
    lost = np.isinf(rounded(data)) & np.isfinite(data)
    if lost.any():
        index = [int(i) for i in np.argwhere(lost)[0]]
        where = f" at {index}" * bool(index) + f" of `{path}`" * bool(path)
        raise OperandError(
            f"Reduced precision holds finite values up to {LARGEST:.8g}",
            got=f"{float(data[tuple(index)]):.8g}{where}, at {site_of(user_line())}",
            fix="Scale it, or keep it in full precision.",
        )


def rounded(data: np.ndarray) -> np.ndarray:
    """Data as it is held in reduced precision, by way of the dtype that JAX has for it."""
    with np.errstate(over="ignore"):
        return data.astype(jax.dtypes.canonicalize_dtype(data.dtype.newbyteorder("="))).astype(REDUCED)


def from_host(data: np.ndarray, path: str) -> Any:
    """A reduced tensor of NumPy's data, which is cast before it is transferred."""
    start_ns = CLOCK.now_ns()
    check_fits(data, path)
    t = holding(on_device(rounded(data)), jax.dtypes.canonicalize_dtype(data.dtype.newbyteorder("=")))
    uploaded(t, start_ns)
    return t
