"""Events by kind, so that whoever wants a few of them need not go through all."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from x10_jupyter.records.events import Event
from x10_jupyter.records.sweep import Nanoseconds

E = TypeVar("E", bound=Event)


class Kinds:
    """Some events, sorted by kind once."""

    __slots__ = ("_beside", "_found", "_on", "_spans")

    def __init__(self, events: Iterable[Event]) -> None:
        """Sort them; those of one kind stay in order."""
        found = defaultdict[type, list[Any]](list)
        for event in events:
            found[event.__class__].append(event)
        self._found = dict(found)
        self._spans: dict[type, Nanoseconds] = {}
        self._on: dict[int, Kinds] = {}
        self._beside: dict[int, Kinds] = {}

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return self._found.get(kind, [])

    def among(self, *kinds: type[E]) -> list[E]:
        """The events of several kinds, by their start."""
        found: list[E] = [event for kind in kinds for event in self.of(kind)]
        return sorted(found, key=lambda event: event.start_ns)

    def on(self, thread: int) -> "Kinds":
        """Those of one thread."""
        if thread not in self._on:
            self._on[thread] = mine = Kinds(())
            mine._found = {kind: [event for event in events if event.thread == thread] for kind, events in self._found.items()}
        return self._on[thread]

    def beside(self, thread: int) -> "Kinds":
        """Those of all threads but one."""
        if thread not in self._beside:
            self._beside[thread] = others = Kinds(())
            others._found = {kind: [event for event in events if event.thread != thread] for kind, events in self._found.items()}
        return self._beside[thread]

    def spans(self, *kinds: type[Event]) -> Nanoseconds:
        """When the events of some kinds took place: those of the first kind in order, then those of the next."""
        for kind in kinds:
            if kind not in self._spans:
                self._spans[kind] = spans(self.of(kind))
        return np.concatenate([self._spans[kind] for kind in kinds])


def spans(events: Sequence[Event]) -> Nanoseconds:
    """Start and end of some events, a row for each."""
    return columns(events, "start_ns", "end_ns")


def columns(events: Sequence[Event], *fields: str) -> Nanoseconds:
    """Fields of some events that are whole numbers: a row for each event, a column for each field."""
    # From one column after the other, since a tuple for each event would take five times as long.
    return np.stack([np.fromiter(map(attrgetter(field), events), np.int64, len(events)) for field in fields], axis=1)
