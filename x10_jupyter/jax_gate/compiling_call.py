"""The call that makes JAX compile: its function, arguments and options, found on the stack while JAX compiles.

A call that is known to JAX never leaves C++, so it costs nothing. One that isn't enters a Python function of JAX's, whose variables hold the call.
"""

from dataclasses import dataclass
from types import FrameType

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.private import Private

PJIT = "/jax/_src/pjit.py"
STAGES = "/jax/_src/stages.py"
CALLS = "cache_miss"
"""What is entered by a call that JAX does not know; holds ``fun``, ``jit_info``, ``args`` and ``kwargs``."""

LOWERS = "jit_trace"
"""What ``f.trace`` and ``f.lower`` enter; holds ``jit_func``, ``args`` and ``kwargs``."""

SHAPES = "jit_eval_shape"
"""What only asks for shapes; nothing is compiled after it."""

DERIVES = "_pjit_call_impl"
"""What runs a program that a transformation has made of a function, such as its gradient; holds ``jaxpr``."""


@dataclass(frozen=True, slots=True)
class CompilingCall:
    """A call on the stack. It holds the user's arguments, so it must not outlive the moment it is looked at."""

    fun: Private
    """The function that was given to ``jax.jit``; None if only a program derived from one is known."""

    info: Private
    """The options of its ``jax.jit``; None as above."""

    args: tuple[Private, ...]
    kwargs: dict[str, Private]
    program: Private
    """The jaxpr that a transformation has made of it; None for an ordinary call."""

    is_ahead: bool
    """Whether it is lowered ahead of time, and not called."""

    is_for_shapes: bool
    """Whether it is traced for its shapes alone, and never compiled."""

    frame: FrameType
    """JAX's frame that holds the call."""


def compiling_call(frame: FrameType | None) -> CompilingCall | None:
    """The call for which JAX compiles, as it is seen from one of its own hooks.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None, so that nobody knows why a program is compiled.

    Args:
        frame: The hook's frame or one above it.

    Returns:
        None if the stack holds none before the user's code begins, as for ``Lowered.compile()``.
    """
    program, derived = None, None
    while frame is not None and is_ours_or_library(frame.f_code.co_filename):
        name = frame.f_code.co_name
        if name in {CALLS, LOWERS, DERIVES} and frame.f_code.co_filename.endswith(PJIT):
            found = frame.f_locals
            if name == CALLS:
                return CompilingCall(found["fun"], found["jit_info"], found["args"], found["kwargs"], program, is_ahead=False, is_for_shapes=False, frame=frame)
            if name == LOWERS:
                jitted = found["jit_func"]
                fun, info = jitted._fun, jitted._jit_info  # noqa: SLF001
                return CompilingCall(fun, info, found["args"], found["kwargs"], program, is_ahead=True, is_for_shapes=asks_for_shapes(frame), frame=frame)
            if name == DERIVES and program is None:
                program, derived = found["jaxpr"], frame
        frame = frame.f_back
    return CompilingCall(None, None, (), {}, program, is_ahead=False, is_for_shapes=False, frame=derived) if derived is not None else None


def compiler_options(frame: FrameType | None) -> dict[str, Private]:
    """What ``Lowered.compile()`` was given to compile with.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: nothing.

    Args:
        frame: The hook's frame or one above it.

    Returns:
        Nothing if it is not on the stack before the user's code begins.
    """
    while frame is not None and is_ours_or_library(frame.f_code.co_filename):
        if frame.f_code.co_name == "compile" and frame.f_code.co_filename.endswith(STAGES):
            return dict(frame.f_locals.get("compiler_options") or {})
        frame = frame.f_back
    return {}


def asks_for_shapes(frame: FrameType) -> bool:
    """Whether a function is traced for its shapes alone; JAX wraps its public functions in one that shortens tracebacks."""
    above = frame.f_back
    for _ in range(2):
        if above is None:
            return False
        if above.f_code.co_name == SHAPES:
            return True
        above = above.f_back
    return False
