"""What the runtime tells the outside: its events, its clock, and when everything launched has finished."""

import threading
from typing import Any

from x10_jupyter.base.clock import Clock, MonotonicClock
from x10_jupyter.base.frames import Cells
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.watcher import Watcher
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site

EVENTS = FanOut()
"""Where the runtime's events go; falsy while nobody listens."""

CLOCK: Clock = MonotonicClock()
"""The runtime's clock."""

WATCHER = Watcher(EVENTS, CLOCK)
drain = WATCHER.drain


def site_of(line: Line | None) -> Site | None:
    """A line of code as a record, with its cell's number."""
    return line and Site(file=line.file, line=line.number, function=line.function, cell=Cells.number(line.file))


def happened(line: Line | None, start_ns: int, end_ns: int | None = None) -> dict[str, Any]:
    """What every event of this thread has: when, where and on which thread it happened; it ended now unless told otherwise."""
    return {"start_ns": start_ns, "end_ns": CLOCK.now_ns() if end_ns is None else end_ns, "thread": threading.get_ident(), "site": site_of(line)}
