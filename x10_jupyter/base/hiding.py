"""Frames of ours in a traceback of the user's. They say nothing of what went wrong, so they are taken out, or marked as what IPython hides."""

from collections.abc import Iterator
from contextlib import suppress
from types import FrameType, TracebackType

from x10_jupyter.base.errors import X10Error
from x10_jupyter.base.frames import PACKAGE

MODULES = "x10_jupyter."
HIDDEN = "__tracebackhide__"
"""The variable by which IPython knows a frame that it is not to show."""


def without_ours(error: BaseException, *, is_never_ours: bool = False) -> None:
    """Let a traceback begin below the frames of ours that stand first in it; for an ``except`` that raises the error again, with ``raise`` alone.

    What is raised by code of ours keeps its frames, since then they do say what went wrong.

    Args:
        error: What was caught.
        is_never_ours: Whether nothing of ours can have raised it, though no other frame is in the traceback: then a function did that has none.
    """
    first = error.__traceback__
    while first is not None and is_ours(first.tb_frame):
        first = first.tb_next
    if first is not None or is_never_ours:
        error.__traceback__ = first


def hide_ours(error: BaseException) -> None:
    """Mark the frames of ours in the tracebacks of an error, of what it was raised from, and of what was under way then. IPython shows the last frame always.

    Not in one that code of ours raised by mistake.
    """
    for one in raised(error):
        frames = list(frames_of(one.__traceback__))
        if frames and is_ours(frames[-1]) and not isinstance(one, X10Error):
            continue
        for frame in filter(is_ours, frames):
            with suppress(Exception):  # a frame that is still running may keep its variables to itself
                frame.f_locals[HIDDEN] = True


def raised(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those before it, each once."""
    seen = set[int]()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]


def frames_of(trace: TracebackType | None) -> Iterator[FrameType]:
    """The frames of a traceback, the outermost first."""
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package; of what was compiled only the module is told."""
    return frame.f_code.co_filename.startswith(PACKAGE) or str(frame.f_globals.get("__name__")).startswith(MODULES)
