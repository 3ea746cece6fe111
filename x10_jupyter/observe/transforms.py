"""Under which of JAX's transformations a function is called."""

from collections.abc import Sequence
from types import FrameType
from typing import Any

from x10_jupyter.jax_gate.tracing import is_tracer

MARKS = {("linearize", "interpreters/ad.py"): "grad", ("jvp", "interpreters/ad.py"): "jvp", ("vmap_f", "api.py"): "vmap"}
"""The functions of JAX's that each transformation enters once, by what it makes of a program: ``grad``, ``value_and_grad`` and ``vjp`` make the same."""

NAMES = {name for name, _ in MARKS}

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
        if frame.f_code.co_name in NAMES:
            told = MARKS.get((frame.f_code.co_name, frame.f_code.co_filename.rpartition("/jax/_src/")[2]))
            found = [told, *found] if told else found
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
