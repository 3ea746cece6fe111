"""Under which of JAX's transformations a function is called."""

from collections.abc import Sequence
from types import FrameType
from typing import Any

from x10_jupyter.jax_gate.tracing import is_tracer

API = "/jax/_src/api.py"

NAMES = {
    "grad_f": "grad", "value_and_grad_f": "grad", "vjp": "grad", "_vjp": "grad", "linearize": "grad", "vmap_f": "vmap", "jvp": "jvp", "_jvp": "jvp",
    "jacfun": "jacobian",
}  # fmt: skip
"""JAX's functions that transform, by what they make of a program: ``grad`` and ``value_and_grad`` make the same."""

TRACERS = {"BatchTracer": "vmap", "JVPTracer": "jvp", "LinearizeTracer": "grad"}
"""What tells of a transformation whose function is not on the stack."""


def transform(leaves: Sequence[Any], frame: FrameType | None) -> str:
    """The transformations around a call, the outermost first: ``vmap(grad)``; empty if it is called as it is.

    Args:
        leaves: The call's arguments.
        frame: The call's.
    """
    tracer = next((leaf for leaf in leaves if is_tracer(leaf)), None)
    if tracer is None:
        return ""
    found: list[str] = []
    while frame is not None:
        name = NAMES.get(frame.f_code.co_name)
        if name and frame.f_code.co_filename.endswith(API) and found[:1] != [name]:
            found.insert(0, name)
        frame = frame.f_back
    if not found:
        found = [TRACERS.get(type(tracer).__name__, "a transformation")]
    return "(".join(found) + ")" * (len(found) - 1)


def derived(frame: FrameType | None) -> str:
    """What a program is that JAX has derived from a function whose call has ended.

    Args:
        frame: The one that runs it.
    """
    while frame is not None:
        if "backward" in frame.f_code.co_name:
            return "backward pass"
        frame = frame.f_back
    return "derived program"
