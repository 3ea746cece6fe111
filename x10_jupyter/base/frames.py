"""Whose line is it: the first frame of a call that is neither ours nor a library's."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType

PACKAGE = str(Path(__file__).parent.parent) + "/"
LIBRARIES = ("site-packages", "dist-packages")
STANDARD = tuple({str(Path(prefix) / "lib") for prefix in (sys.prefix, sys.base_prefix, sys.base_exec_prefix)})


@cache
def is_library(filename: str) -> bool:
    """Whether code in this file belongs to an installed library or to Python, not to the user."""
    return any(part in filename for part in LIBRARIES) or filename.startswith((*STANDARD, "<frozen"))


@cache
def is_ours_or_library(filename: str) -> bool:
    """Whether code in this file is never the user's own."""
    return filename.startswith(PACKAGE) or is_library(filename)


def user_frame(start: FrameType | None = None) -> FrameType:
    """The innermost frame that is the user's own; the outermost one if none is.

    Args:
        start: Where to begin; the caller's frame when None.
    """
    frame = sys._getframe(1) if start is None else start  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
    while frame.f_back is not None and is_ours_or_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def user_frames(start: FrameType | None = None) -> list[FrameType]:
    """The frames that are the user's own, the innermost first; the outermost frame if none is.

    Args:
        start: Where to begin; the caller's frame when None.
    """
    frame = sys._getframe(1) if start is None else start  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
    found: list[FrameType] = []
    while True:
        if not is_ours_or_library(frame.f_code.co_filename):
            found.append(frame)
        if frame.f_back is None:
            return found or [frame]
        frame = frame.f_back


def no_cell(_filename: str) -> int | None:
    """Outside a notebook no file is a cell."""
    return None


class Cells:
    """Tells notebook cells from files; a notebook session plugs its own look-up in."""

    number: Callable[[str], int | None] = staticmethod(no_cell)
    """From a code object's file name to the execution count of its cell, or None."""
