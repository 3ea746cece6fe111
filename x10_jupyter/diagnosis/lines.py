"""Events of one kind by what was done and on which line, since a loop does the same a hundred thousand times."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from x10_jupyter.diagnosis.spent import during
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Nanoseconds
from x10_jupyter.records.thinned import Sum

E = TypeVar("E", bound=Event)

Key = tuple[Hashable, Site | None]
"""What was done, and where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Generic[E]):
    """Events of the capturing thread that did the same on the same line."""

    last: E
    """One that stands for all of them."""

    times: int
    """How many there were."""

    spans: Nanoseconds = field(repr=False)
    """When each took place that is still held, a row for each."""

    gone: Mapping[TimeName, int]
    """Nanoseconds by name of those that a long capture no longer holds."""

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


def lines(capture: Capture, kind: type[E], what: Callable[[E], Hashable]) -> list[Line[E]]:
    """All of them, those that took longest first, whatever the order of events that began at once.

    Args:
        capture: Where it happened.
        kind: What kind of event it is.
        what: Tells apart what is done on one line.
    """
    held = defaultdict[Key, list[E]](list)
    for event in capture.kinds.of(kind):
        if event.thread == capture.thread:
            held[what(event), event.site].append(event)
    gone = defaultdict[Key, list[tuple[E, Sum]]](list)
    for one in capture.thinned.sums if capture.thinned else ():
        if isinstance(one.event, kind) and one.event.thread == capture.thread:
            gone[what(one.event), one.event.site].append((one.event, one))
    found = {key: line(held.get(key, []), gone.get(key, []), capture.detailed_from_ns) for key in [*gone, *held]}
    return [found[key] for key in sorted(found, key=lambda key: (-found[key].took_ns, found[key].start_ns, repr(key)))]


def line(held: Sequence[E], gone: Sequence[tuple[E, Sum]], from_ns: int) -> Line[E]:
    """Events that did the same on the same line.

    Args:
        held: Those that a capture holds.
        gone: Those that it holds as sums.
        from_ns: From when on it holds all events; what lies before is in the sums.
    """
    spans = np.array([(max(event.start_ns, from_ns), event.end_ns) for event in held], np.int64).reshape(-1, 2)
    spent = Counter[TimeName]()
    for _, one in gone:
        spent.update(one.time)
    return Line(last=held[-1] if held else gone[-1][0], times=len(held) + sum(one.times for _, one in gone), spans=spans, gone=spent)
