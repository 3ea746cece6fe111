"""The captures of this kernel, for a report at its end; not more than can be kept without harm."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.units import count
from x10_jupyter.session.result import Capture

MOST = 100
"""Captures; a notebook that is run again and again makes more."""

MOST_EVENTS = 300_000
"""Events in all captures together, some 100 MB; the last capture is kept whatever it holds."""


class Entry(NamedTuple):
    """A capture and the cell it was made in."""

    capture: Capture

    cell: int | None
    """The cell's number; None if it was made in none."""


class Kept:
    """The last captures, in order."""

    def __init__(self, most: int = MOST, most_events: int = MOST_EVENTS) -> None:
        """Begin with none.

        Args:
            most: Captures to keep.
            most_events: Events to keep, in all of them.
        """
        self.most = most
        self.most_events = most_events
        self.entries: deque[Entry] = deque()
        self.dropped = 0
        """Captures that had to go."""

    def add(self, capture: Capture, cell: int | None = None) -> None:
        """Keep one more, in place of the oldest ones if that is too much; the one that came last once, though it is added again."""
        if self.entries and self.entries[-1].capture is capture:
            self.entries.pop()
        self.entries.append(Entry(capture, cell))
        while len(self.entries) > 1 and (len(self.entries) > self.most or sum(len(one.capture.events) for one in self.entries) > self.most_events):
            self.entries.popleft()
            self.dropped += 1

    def clear(self) -> None:
        """Keep none."""
        self.entries.clear()
        self.dropped = 0

    def chosen(self, wanted: list[str]) -> list[Entry]:
        """Captures by number of their cell (``3``), from one to another (``3-7``), or by name; all if nothing is wanted.

        Returns:
            In the order in which they were made, each once.

        Raises:
            UsageError: There is none, or none of one that is wanted.
        """
        if not self.entries:
            raise UsageError("A report shows captures, and this kernel has none", fix="Put %%x10trace on a cell and run it.")
        found: set[int] = set()
        for one in wanted:
            places = {place for place, entry in enumerate(self.entries) if suits(entry, one)}
            if not places:
                raise UsageError("There is no such capture in this kernel", got=one, fix=self.known())
            found |= places
        return [entry for place, entry in enumerate(self.entries) if place in found or not wanted]

    def names(self) -> list[str]:
        """What captures can be chosen by, in order."""
        found = [name for entry in self.entries for name in (entry.capture.name, "" if entry.cell is None else str(entry.cell)) if name]
        return list(dict.fromkeys(found))

    def known(self) -> str:
        """The same as a sentence."""
        names = ", ".join(self.names()) or "one without a name"
        older = f"; {count(self.dropped, 'older one')} had to make room" if self.dropped else ""
        return f"There is {names}{older}."


def suits(entry: Entry, wanted: str) -> bool:
    """Whether a capture is meant by a name, a number or two."""
    if wanted and entry.capture.name == wanted:
        return True
    first, dash, last = wanted.partition("-")
    last = last if dash else first
    return entry.cell is not None and first.isdecimal() and last.isdecimal() and int(first) <= entry.cell <= int(last)


KEPT = Kept()
"""Those of this kernel; they stay when the extension is unloaded, for a report after it is loaded again."""

LISTENERS: list[Callable[[Capture], object]] = []
"""Who is told of each capture when it has ended."""


def tell(capture: Capture) -> None:
    """Tell that a capture has ended; what a listener raises stays here, since this is within the user's block."""
    for listener in tuple(LISTENERS):
        with suppress(Exception):
            listener(capture)
