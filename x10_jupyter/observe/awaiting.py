"""Whether a thread stands where Python waits for another one: ``future.result()``, ``thread.join()``, ``queue.get()``.

Only what is certain is told: the innermost code is Python's own for threads, which blocks nowhere but at its locks, and what called it is the user's. A lock
that the user's own code takes, and queues that are written in C, look like any other call, and are not told.
"""

import queue
import threading
from concurrent import futures
from concurrent.futures import thread as pools
from multiprocessing import pool as processes
from types import FrameType

from x10_jupyter.base.frames import PACKAGE, is_ours_or_library
from x10_jupyter.observe.standing import Place
from x10_jupyter.records.site import site_in

LOCKS = threading.__file__
"""Where all of them wait in the end."""

WAITING = frozenset({LOCKS, queue.__file__, futures._base.__file__, pools.__file__, processes.__file__})  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] # only its file
"""Python's own code for threads, through which the user's code comes there."""

SPELLED = {"__exit__": "leaving its `with` block", "__enter__": "entering a `with` block", "__next__": "the next item", "__init__": "making an object"}
"""How a wait is told that nobody calls by name."""


def awaiting(frame: FrameType) -> Place | None:
    """Where a thread stands if it is at such a wait of the user's; None anywhere else.

    Args:
        frame: Its innermost frame. The thread must not run meanwhile.
    """
    if frame.f_code.co_filename != LOCKS:
        return None
    name = ""
    at: FrameType | None = frame
    while at is not None and is_ours_or_library(at.f_code.co_filename):
        file = at.f_code.co_filename
        if file.startswith(PACKAGE):
            return None  # its own waits are told by what it does
        if file in WAITING:
            name = at.f_code.co_name
        at = at.f_back
    if at is None:
        return None
    return Place(SPELLED.get(name, f".{name}()"), site_in(at.f_code, at.f_lineno), kind="thread")
