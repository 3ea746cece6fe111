"""Errors in the user's words: which operation, which shapes, which line."""

from collections.abc import Sequence

from x10_jupyter.base.errors import OperandError, X10Error
from x10_jupyter.lazy.core import Value
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.op import Call
from x10_jupyter.lazy.producer import site_of


def explained(error: Exception, call: Call, tensors: Sequence[Value]) -> Exception:
    """The error to raise when recording an operation failed: JAX's refusal with operation, shapes and line; any other error with a note of them.

    Args:
        error: What was raised.
        call: The operation.
        tensors: Its tensors.
    """
    if isinstance(error, X10Error):
        return error
    shapes = ", ".join(repr(t.aval) for t in tensors)
    where = f"{call.name}({shapes}) at {site_of(user_line())}"
    if isinstance(error, (TypeError, ValueError)):
        said = str(error).strip().partition("\n")[0].rstrip(".")
        return OperandError(f"`{call.name}` refuses these operands: {said}", got=where)
    error.add_note(f"in {where}")
    return error
