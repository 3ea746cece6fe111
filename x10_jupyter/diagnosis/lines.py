"""Events of one kind by what was done and on which line, with the time that they took."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from x10_jupyter.diagnosis.spent import during
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.by_line import Key, by_line
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import spans
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Nanoseconds
from x10_jupyter.records.thinned import Sum

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Generic[E]):
    """Events of the capturing thread that did the same on the same line."""

    events: Sequence[E] = field(repr=False)
    """Those that are still held, in order; before them, of those that a long capture no longer holds, one for each thing that was done. At least one."""

    times: int
    """How many there were."""

    spans: Nanoseconds = field(repr=False)
    """When each took place that is still held, a row for each."""

    gone: Mapping[TimeName, int]
    """Nanoseconds by name of those that a long capture no longer holds."""

    @property
    def last(self) -> E:
        """One that stands for all of them."""
        return self.events[-1]

    @property
    def site(self) -> Site | None:
        """The line."""
        return self.last.site

    @property
    def start_ns(self) -> int:
        """When the first of them began; 0 if that is no longer held."""
        return 0 if self.gone else int(self.spans[:, 0].min())

    @property
    def took_ns(self) -> int:
        """How long all of them took."""
        return int((self.spans[:, 1] - self.spans[:, 0]).sum()) + sum(self.gone.values())

    def during(self, capture: Capture, names: Sequence[TimeName]) -> Nanoseconds:
        """When the thread did one of a few things meanwhile; of what is no longer held that is not known."""
        return during(capture, self.spans, names)

    def gone_ns(self, names: Sequence[TimeName]) -> int:
        """How long it did so in what is no longer held."""
        return sum(self.gone.get(name, 0) for name in names)


def lines(capture: Capture, kind: type[E], *what: str, only: Callable[[E], bool] | None = None) -> list[Line[E]]:
    """All of them, those that took longest first, whatever the order of events that began at once.

    Args:
        capture: Where it happened.
        kind: What kind of event it is.
        what: Names of the fields that tell apart what is done on one line.
        only: Which of the events; all if None.
    """
    mine = capture.kinds.on(capture.thread)
    held: list[E] = mine.of(kind) if only is None else list(filter(only, mine.of(kind)))
    times = np.maximum(mine.spans(kind) if only is None else spans(held), [capture.detailed_from_ns, 0])
    rows = by_line(held, *what)
    gone = defaultdict[Key, list[tuple[E, Sum]]](list)
    for one in capture.thinned.sums if capture.thinned else ():
        if isinstance(one.event, kind) and one.event.thread == capture.thread and (only is None or only(one.event)):
            gone[tuple([getattr(one.event, field) for field in what]), one.event.site].append((one.event, one))
    found: dict[Key, Line[E]] = {}
    for key in [*gone, *rows]:
        places: list[int] = rows[key].tolist() if key in rows else []
        found[key] = line([held[place] for place in places], times[places], gone.get(key, []))
    return [found[key] for key in sorted(found, key=lambda key: (-found[key].took_ns, found[key].start_ns, repr(key)))]


def line(held: Sequence[E], times: Nanoseconds, gone: Sequence[tuple[E, Sum]]) -> Line[E]:
    """Events that did the same on the same line.

    Args:
        held: Those that a capture holds.
        times: When each of them took place, from when on it holds all events; what lies before is in the sums.
        gone: Those that it holds as sums.
    """
    spent = Counter[TimeName]()
    for _, one in gone:
        spent.update(one.time)
    events = [*(event for event, _ in gone), *held]
    return Line(events=events, times=len(held) + sum(one.times for _, one in gone), spans=times, gone=spent)
