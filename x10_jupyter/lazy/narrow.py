"""Narrow storage: under ``XLA_USE_BF16`` and ``XLA_USE_32BIT_LONG`` the device holds and computes everything in fewer bits than it says.

What a result says is what it would be if nothing were narrow; how it is held follows from that. So an operation is traced for what is said first, and then for
what is held.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import tree_flatten, tree_leaves, tree_unflatten

from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.avals import INT32, Aval, converted, is_array, spec_as_said
from x10_jupyter.lazy.context import LONG, REDUCED, WIDE, Context, Switches

Holds = Mapping[Any, Any]
"""The dtypes that are held as others."""


def is_affected(context: Context, ins: Sequence[Aval]) -> bool:
    """Whether an operation on these inputs has to mind narrow storage: it is on, or was on when whole numbers among them were made."""
    return bool(context.holds) or any(a.is_narrow and not a.is_reduced for a in ins)


def hold(x: Any, holds: Holds) -> Any:
    """An array as the device holds it."""
    return as_dtype(x, holds.get(x.dtype, x.dtype))


def as_dtype(x: Any, dtype: Any) -> Any:
    """An array of this dtype; itself if it is."""
    return x if x.dtype == dtype else converted(x, dtype, weak_type=bool(getattr(x, "weak_type", False)))


def dtypes_said(flat: Callable[..., Any], ins: Sequence[Aval], numbers: Sequence[Any]) -> list[Any] | None:
    """The dtypes that the arrays among a function's results would have if nothing were narrow; None if it refuses such inputs.

    Args:
        flat: Takes arrays, then numbers.
        ins: The arrays.
        numbers: What the numbers are like.
    """
    try:
        return [a.dtype for a in jax.make_jaxpr(lambda *xs: list(filter(is_array, tree_leaves(flat(*xs)))))(*map(spec_as_said, ins), *numbers).out_avals]
    except Exception:  # noqa: BLE001 - what is wrong comes out when it is traced for what is held
        return None


def in_narrow(flat: Callable[..., Any], ins: Sequence[Aval], holds: Holds, said: Sequence[Any] | None) -> Callable[..., Any]:
    """The function as it runs on what is held: operands become narrow as they enter, and results as they leave.

    Args:
        flat: Takes arrays, then numbers.
        ins: The arrays.
        holds: What is held as what.
        said: What its results say.
    """

    def run(*xs: Any) -> Any:
        tensors = [hold(x, holds) for x in xs[: len(ins)]]
        # NumPy's numbers would widen the result; Python's give way to any dtype
        numbers = [x if getattr(x, "weak_type", False) else hold(x, holds) for x in xs[len(ins) :]]
        return held(flat(*tensors, *numbers), holds, said)

    return run


def in_full(flat: Callable[..., Any], ins: Sequence[Aval], holds: Holds, said: Sequence[Any] | None = None) -> Callable[..., Any]:
    """The function for what is not defined for narrow operands, such as linear algebra: computed in full, from narrow operands to narrow results."""

    def run(*xs: Any) -> Any:
        return held(flat(*widened(xs, ins)), holds, said)

    return run


def widened(xs: Sequence[Any], ins: Sequence[Aval]) -> list[Any]:
    """Arrays of the dtypes that they say, and then numbers as they are."""
    return [*[as_dtype(x, a.dtype) for x, a in zip(xs, ins, strict=False)], *xs[len(ins) :]]


def held(result: Any, holds: Holds, said: Sequence[Any] | None) -> Any:
    """A result with its arrays as they are held."""
    leaves, tree = tree_flatten(result)
    dtypes = iter(said or ())
    for i, x in enumerate(leaves):
        if is_array(x):
            wide = next(dtypes, x.dtype)
            leaves[i] = as_dtype(x, holds.get(wide, wide))
    return tree_unflatten(tree, leaves)


def unheld(dtype: Any, holds: Holds, ins: Sequence[Aval]) -> Any:
    """What a result that is held in this dtype says, where nothing tells: what operands say that are held so, or else what it would be held from."""
    known = [a.dtype for a in ins if a.is_narrow and a.held_as == dtype]
    return known[0] if known else next((wide for wide, narrow in holds.items() if narrow == dtype), dtype)


def check_whole(x: Any) -> None:
    """Raise if a number does not fit while whole numbers of 64 bits are held in 32.

    Raises:
        OperandError: It would become another one.
    """
    is_whole = x.__class__ is int or (isinstance(x, np.integer) and x.dtype in LONG)
    if is_whole and int(x) not in limits(x) and Switches.now().use_32bit_long:
        raise OperandError(TOO_LONG, got=str(x), fix=NO_LONG)


def check_data(data: np.ndarray) -> None:
    """Raise if a value of the user's data does not fit where it is held in fewer bits.

    Raises:
        OperandError: A whole number would become another, or a finite float infinite.
    """
    if not data.size:
        return
    if data.dtype in WIDE:
        with np.errstate(over="ignore"):
            lost = np.isinf(data.astype(REDUCED)) & np.isfinite(data)
        if lost.any():
            raise OperandError(TOO_LARGE, got=found(data, lost), fix=NO_BF16)
        return
    if not all(int(x) in limits(x) for x in (data.min(), data.max())):
        raise OperandError(TOO_LONG, got=found(data, data != data.astype(LONG[data.dtype])), fix=NO_LONG)


def found(data: np.ndarray, lost: np.ndarray) -> str:
    """The first of the values that are lost, and its place."""
    index = [int(i) for i in np.argwhere(lost)[0]]
    return f"{data[tuple(index)]}{f' at {index}' * bool(index)}"


def data_held(data: Any, holds: Holds) -> Any:
    """The user's data, an array of NumPy's or JAX's, as the device holds it. What lies on other machines cannot be looked at, and is taken as it is.

    Raises:
        OperandError: A value does not fit.
    """
    dtype = holds.get(data.dtype, data.dtype)
    if dtype == data.dtype:
        return data
    if isinstance(data, np.ndarray):
        check_data(data)
        with np.errstate(over="ignore"):
            return data.astype(dtype)
    if data.is_fully_addressable:
        check_data(np.asarray(data))
    return as_dtype(data, dtype)


def limits(x: Any) -> range:
    """The whole numbers that fit where this one is held."""
    return range(1 << 32) if isinstance(x, np.unsignedinteger) else INT32


TOO_LONG = "Whole numbers are held in 32 bits while XLA_USE_32BIT_LONG is on"
TOO_LARGE = f"Floats are held as bfloat16 while XLA_USE_BF16 is on, up to {float(jnp.finfo(REDUCED).max):.8g}"
NO_BF16 = "Scale it, or switch it off: x10.config.update(XLA_USE_BF16=False)."
NO_LONG = "Make it a float, or switch it off: x10.config.update(XLA_USE_32BIT_LONG=False)."
