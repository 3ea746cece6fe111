"""Errors in the user's words: which operation, which shapes, which line."""

from collections.abc import Sequence
from typing import NoReturn

from x10_jupyter.base.errors import OperandError, X10Error
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.names import operand_name
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.precision import REDUCED, PrecisionsDifferError, is_full
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.value import Value


def explained(error: Exception, call: Call, tensors: Sequence[Value]) -> Exception:
    """The error to raise when recording an operation failed: JAX's refusal with operation, shapes and line; any other error with a note of them.

    Args:
        error: What was raised.
        call: The operation.
        tensors: Its tensors.
    """
    if isinstance(error, PrecisionsDifferError) and error.got is None:
        return precisions_differ(error, call, tensors)
    if isinstance(error, X10Error):
        return error
    shapes = ", ".join(repr(t.aval) for t in tensors)
    where = f"{call.name}({shapes}) at {site_of(user_line())}"
    if isinstance(error, (TypeError, ValueError)):
        said = str(error).strip().partition("\n")[0].rstrip(".")
        fix = NOT_REDUCED if REDUCED.name in said and (call.reduces or any(t.aval.is_reduced for t in tensors)) else ""
        return OperandError(f"`{call.name}` refuses these operands: {said}", got=where, fix=fix)
    error.add_note(f"in {where}")
    return error


def raise_explained(error: Exception, call: Call, tensors: Sequence[Value]) -> NoReturn:
    """Raise the error that ``explained`` makes of another, for an ``except``; the other is its cause, unless both are the same.

    Frames of ours are of no use in the cause. Those above are taken out by what the user has called.
    """
    told = explained(error, call, tensors)
    without_ours(error)
    if told is error:
        raise error
    raise told from error


NOT_REDUCED = "Compute it on x10.to_full_precision of what is reduced, and inside `with x10.mixed_precision(None):` where that is on."


def precisions_differ(error: PrecisionsDifferError, call: Call, tensors: Sequence[Value]) -> PrecisionsDifferError:
    """The rule that was broken, with the first reduced and the first full operand, the operation and the line."""
    line = user_line()
    reduced = next(i for i, t in enumerate(tensors) if t.aval.is_reduced)
    full = next(i for i, t in enumerate(tensors) if is_full(t.aval) and not t.aval.weak_type)
    told = [f"`{operand_name(call, i, len(tensors), line)}` {tensors[i].aval!r}" for i in sorted((reduced, full))]
    fix = 'Pass one of them through x10.to_reduced_precision or x10.to_full_precision, or compute under x10.mixed_precision("bf16").'
    return PrecisionsDifferError(error.what, got=f"{' and '.join(told)} in `{call.name}` at {site_of(line)}", fix=fix)
