"""The program that JAX is about to lower, found on the stack when it says that it begins to."""

from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

import numpy as np

from x10_jupyter.jax_gate.extended import jaxprs_in_params
from x10_jupyter.jax_gate.private import Private

HOLDERS = {"_cached_lowering_to_hlo", "lower_sharding_computation"}
"""JAX's functions that hold it, in ``closed_jaxpr``."""

LOWERS_IN = "/jax/_src/interpreters/pxla.py"
CALLS_IN = "/jax/_src/pjit.py"

DEEPEST = 16
"""So many frames above the hook it is found, if at all."""

HIGHEST = 64
"""So many frames above that the call is looked for whose function it is."""


class Frame(NamedTuple):
    """A line that was running when an operation was traced."""

    file: str
    line: int
    function: str


def program_to_lower(frame: FrameType | None) -> Private:
    """The closed jaxpr of the program whose lowering begins, as it is seen from a listener to that.

    Tried on jax 0.10.2; the same frames are in 0.12.0.1. Gone: None, so that nobody knows how large a program is.

    Args:
        frame: The listener's.
    """
    for _ in range(DEEPEST):
        if frame is None:
            return None
        code = frame.f_code
        if code.co_name in HOLDERS and code.co_filename.endswith(LOWERS_IN):
            return frame.f_locals.get("closed_jaxpr")
        frame = frame.f_back
    return None


def function_to_lower(frame: FrameType | None) -> Private:
    """The function that was given to ``jax.jit`` and is called, from the same place; None if there is none, as when a transformation made the program.

    Tried on jax 0.10.2; the same frames are in 0.12.0.1. Gone: None, so that a constant has no name.

    Args:
        frame: The listener's.
    """
    for _ in range(HIGHEST):
        if frame is None:
            return None
        code = frame.f_code
        if code.co_name == "cache_miss" and code.co_filename.endswith(CALLS_IN):
            return frame.f_locals.get("fun")
        frame = frame.f_back
    return None


def operations(program: Private) -> Iterator[tuple[Private, str]]:
    """Each operation of a program, those of inner ones once where they stand: the traceback of its line, which may be None, and its name."""
    waiting: list[Private] = [getattr(program, "jaxpr", program)]
    while waiting:
        for equation in waiting.pop().eqns:
            yield equation.source_info.traceback, equation.primitive.name
            if equation.params:
                waiting.extend(jaxprs_in_params(equation.params))


def places(program: Private) -> Counter[tuple[Private, str]]:
    """How often each operation at each place of the code stands in a program.

    A place is a traceback: equal if the same instructions were running. Takes some 0.5 µs an operation.
    """
    return Counter(operations(program))


def frames(traceback: Private) -> list[Frame]:
    """The lines of a place, the innermost first; takes some 13 µs."""
    return [] if traceback is None else [Frame(one.file_name, one.line_num, one.function_name) for one in traceback.frames]


def constants(program: Private) -> list[Private]:
    """The arrays that a program holds, in order."""
    return list(getattr(program, "consts", ()))


def first_uses(program: Private, which: set[int]) -> dict[int, Private]:
    """The traceback of the first operation that takes each of some constants.

    Args:
        program: It.
        which: Numbers of the constants.
    """
    inner = getattr(program, "jaxpr", program)
    wanted = {id(variable): place for place, variable in enumerate(inner.constvars) if place in which}
    found: dict[int, Private] = {}
    for equation in inner.eqns:
        for taken in equation.invars:
            if id(taken) in wanted:
                found.setdefault(wanted[id(taken)], equation.source_info.traceback)
        if len(found) == len(wanted):
            break
    return found


def is_same_data(constant: Private, value: object) -> bool:
    """Whether a constant of a program is some value of the user's, and not another with the same content."""
    if constant is value:
        return True
    held = getattr(constant, "val", constant)  # JAX wraps arrays of NumPy, and in 0.12 views them
    if not isinstance(held, np.ndarray) or not isinstance(value, np.ndarray) or held.shape != value.shape:
        return False
    return held.__array_interface__["data"] == value.__array_interface__["data"]
