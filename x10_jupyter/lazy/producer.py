"""What the runtime tells the outside: its events, its clock, what it counts, and when everything launched has finished."""

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from x10_jupyter.base.clock import Clock, MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.base.frames import Cells
from x10_jupyter.lazy.census import Census
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.watcher import Watcher
from x10_jupyter.records.runtime_events import Counted
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site

EVENTS = FanOut()
"""Where the runtime's events go; falsy while nobody listens."""

CLOCK: Clock = MonotonicClock()
"""The runtime's clock."""

CPU_CLOCK: Clock = ThreadCpuClock()
"""Tells the CPU time of the calling thread."""

QUEUE_CLOCK = QueueClock()
"""Tells how long the calling thread has waited for a core."""

WATCHER = Watcher(EVENTS, CLOCK)
drain = WATCHER.drain


MOST_SITES = 4096
SITES: dict[Line, Site] = {}
"""The records of lines that were met, since each step meets the same ones."""


def site_of(line: Line | None) -> Site | None:
    """A line of code as a record, with its cell's number, which changes when the same cell runs again."""
    if line is None:
        return None
    cell = Cells.number(line.file)
    known = SITES.get(line)
    if known is None or known.cell != cell:
        if len(SITES) >= MOST_SITES:
            SITES.clear()
        known = SITES[line] = Site(file=line.file, line=line.number, function=line.function, cell=cell)
    return known


def happened(line: Line | None, start_ns: int, end_ns: int | None = None) -> dict[str, Any]:
    """What every event of this thread has: when, where and on which thread it happened; it ended now unless told otherwise."""
    return {"start_ns": start_ns, "end_ns": CLOCK.now_ns() if end_ns is None else end_ns, "thread": threading.get_ident(), "site": site_of(line)}


def tell(counts: Mapping[str, int]) -> None:
    """Report what was counted."""
    if EVENTS:
        now_ns = CLOCK.now_ns()
        EVENTS.emit(Counted(counts=MappingProxyType(dict(counts)), **happened(None, now_ns, now_ns)))


CENSUS = Census(tell)


def settle() -> None:
    """Tell of what has finished, and of what is only counted."""
    WATCHER.catch_up()
    CENSUS.settle()
