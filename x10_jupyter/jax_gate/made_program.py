"""The programs that JAX has just lowered or compiled, found on the stack when it says that it has."""

from types import FrameType
from typing import NamedTuple

from x10_jupyter.jax_gate.private import Private

HOME = "/jax/_src/interpreters/pxla.py"

LOWERS = "_cached_lowering_to_hlo"
"""Holds ``closed_jaxpr`` and ``lowering_result``; what it returns JAX keeps as long as the jaxpr is alive."""

COMPILES = "_cached_compilation"
"""Holds ``computation`` and ``xla_executable``; what it returns JAX keeps as long as the module is alive."""

DEEPEST = 16
"""So many frames above the hook they are found, if at all."""


class Lowered(NamedTuple):
    """A program that was lowered."""

    jaxpr: Private
    """What JAX traced, closed. It can be referred to weakly."""

    module: Private
    """What JAX made of it for XLA, in MLIR. It can be referred to weakly."""


class Loaded(NamedTuple):
    """A program that was compiled."""

    module: Private
    """As above."""

    executable: Private
    """What XLA made of it. It can't be referred to weakly."""


def lowered(frame: FrameType | None) -> Lowered | None:
    """What was lowered, as it is seen from a listener to the end of that.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None, so that a program can't be shown as JAX traced it.

    Args:
        frame: The listener's.

    Returns:
        None if lowering failed, too.
    """
    found = variables(frame, LOWERS)
    module = getattr(found.get("lowering_result"), "module", None)
    return None if module is None or "closed_jaxpr" not in found else Lowered(found["closed_jaxpr"], module)


def loaded(frame: FrameType | None) -> Loaded | None:
    """What was compiled, as it is seen from a listener to the end of that.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None, so that a program can't be shown.

    Args:
        frame: The listener's.

    Returns:
        None if it could not be compiled, too.
    """
    found = variables(frame, COMPILES)
    executable = found.get("xla_executable")
    return None if executable is None or "computation" not in found else Loaded(found["computation"], executable)


def variables(frame: FrameType | None, function: str) -> dict[str, Private]:
    """The variables of one of JAX's functions that is running; none if it is not."""
    for _ in range(DEEPEST):
        if frame is None:
            break
        if frame.f_code.co_name == function and frame.f_code.co_filename.endswith(HOME):
            return dict(frame.f_locals)
        frame = frame.f_back
    return {}
