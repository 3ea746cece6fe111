"""Frames of ours in a traceback of the user's. They say nothing of what went wrong, so they are taken out, or marked as what IPython hides."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from types import FrameType, TracebackType

from x10_jupyter.base.errors import X10Error
from x10_jupyter.base.frames import PACKAGE

MODULES = "x10_jupyter."
HIDDEN = "__tracebackhide__"
"""The variable by which IPython knows a frame that it is not to show."""


def without_ours(error: BaseException, *, is_never_ours: bool = False) -> None:
    """Take the frames of ours out of a traceback; for an ``except`` that raises the error again, with ``raise`` alone, which adds none.

    What code of ours raised by mistake keeps those at its end, since then they do say what went wrong.

    Args:
        error: What was caught.
        is_never_ours: Whether nothing of ours can have raised it, though a frame of ours is the last: then a function did that has none.
    """
    places = list(places_of(error.__traceback__))
    kept = [place for place in places if not is_ours(place.tb_frame)]
    if not (is_never_ours or isinstance(error, X10Error)):
        kept += places[places.index(kept[-1]) + 1 :] if kept else places
    for place, following in pairwise([*kept, None]):
        if place is not None:
            place.tb_next = following
    error.__traceback__ = kept[0] if kept else None


def hide_ours(error: BaseException) -> None:
    """Mark the frames of ours in the tracebacks of an error, of what it was raised from, and of what was under way then.

    Not in one that code of ours raised by mistake; of one that it raised on purpose they are taken out, since IPython shows the last frame always.
    """
    for one in raised(error):
        frames = list(frames_of(one.__traceback__))
        if frames and is_ours(frames[-1]):
            if isinstance(one, X10Error):
                without_ours(one)
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


def places_of(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The parts of a traceback, one for each frame, the outermost first."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def frames_of(trace: TracebackType | None) -> Iterator[FrameType]:
    """The frames of a traceback, the outermost first."""
    return (place.tb_frame for place in places_of(trace))


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this package; of what was compiled only the module is told."""
    return frame.f_code.co_filename.startswith(PACKAGE) or str(frame.f_globals.get("__name__")).startswith(MODULES)
