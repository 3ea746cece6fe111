"""Reduced precision: floats that say they are 32 or 64 bits wide, and that the device holds as bfloat16.

What a value says decides what it is read as, and which dtype a result says; what the device holds decides what is computed.
"""

from collections.abc import Sequence
from typing import Any

from x10_jupyter.base.errors import OperandError
from x10_jupyter.jax_gate.extended import decompositions
from x10_jupyter.lazy.avals import Aval, converted
from x10_jupyter.lazy.context import REDUCED as REDUCED
from x10_jupyter.lazy.context import WIDE as WIDE
from x10_jupyter.lazy.jaxprs import equations

FULL_ONLY = decompositions()
"""What LAPACK and its like compute, which know no bfloat16."""


class PrecisionsDifferError(OperandError):
    """Reduced and full precision met in one operation."""


def is_full(aval: Aval) -> bool:
    """Whether a value has a reduced form and is not in it."""
    return not aval.is_reduced and aval.dtype in WIDE


def check_precisions(ins: Sequence[Aval]) -> None:
    """Raise if reduced and full operands are mixed. What is weakly typed takes the precision of what it meets, as a Python number does.

    Raises:
        PrecisionsDifferError: With no more than the rule; ``explained`` adds operation, shapes and line.
    """
    if any(a.is_reduced for a in ins) and any(is_full(a) and not a.weak_type for a in ins):
        raise PrecisionsDifferError("All tensors must have the same precision (reduced or full)")


def check_defined(jaxpr: Any) -> None:
    """Raise if a traced function does to reduced values what is only defined for full ones: JAX would say so when it lowers it, which is too late.

    Raises:
        TypeError: It decomposes a matrix, such as to solve linear equations.
    """
    for eqn in equations(jaxpr):
        if eqn.primitive in FULL_ONLY and any(getattr(v.aval, "dtype", None) == REDUCED for v in eqn.invars):
            raise TypeError(f"bfloat16 has no `{eqn.primitive.name}`")


def narrowed(x: Any) -> Any:
    """An array, or a NumPy scalar, as the device holds it in reduced precision; what has no reduced form as it is."""
    # None would count as float64 to NumPy
    return converted(x, REDUCED, weak_type=getattr(x, "weak_type", False)) if hasattr(x, "dtype") and x.dtype in WIDE else x


def number_narrowed(x: Any) -> Any:
    """A number beside reduced operands: NumPy's are narrowed too, lest they widen the result; Python's give way to any dtype."""
    return x if getattr(x, "weak_type", False) else narrowed(x)


def as_said(held: Any, said: Any) -> Any:
    """The dtype that a result says, from the one that the device holds and the one that it would have had in full precision."""
    return said if held == REDUCED and said is not None and said in WIDE else held
