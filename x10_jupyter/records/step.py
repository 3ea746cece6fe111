"""One step as a reader of a capture finds it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from x10_jupyter.records.accounting import TimeName, split
from x10_jupyter.records.events import Stepped
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What happened between two barriers."""

    index: int
    """Number of the step in its process, from 0."""

    start_ns: int
    """When it began, at the earliest with the capture."""

    wall_ns: int
    """How long it took."""

    parts: Mapping[TimeName, int]
    """Nanoseconds by name, as in `Capture.time`; they sum to ``wall_ns``. What no event explains counts as ``python``."""

    site: Site | None
    """The line of the barrier that ended it."""


def from_event(event: Stepped, timeline: Timeline) -> Step:
    """The step that an event tells of, as far as it lies in the window of a timeline."""
    start_ns = max(event.start_ns, timeline.bounds[0])
    end_ns = max(min(event.end_ns, timeline.bounds[-1]), start_ns)
    return Step(
        index=event.index,
        start_ns=start_ns,
        wall_ns=end_ns - start_ns,
        parts=MappingProxyType(split(timeline.totals(start_ns, end_ns))),
        site=event.site,
    )
