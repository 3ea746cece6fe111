"""Steps as a reader of a capture finds them, and which of them stand out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from x10_jupyter.records.accounting import TIME_NAMES, TimeName
from x10_jupyter.records.events import Stepped
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Nanoseconds, Timeline

SPIKE_TIMES = 2
"""A spike takes at least so many times what the middle step takes: less does not stand out among the usual differences of a loop on a shared machine."""

SPIKE_LONGER_NS = 1_000_000
"""And at least so much longer: an operating system takes a core away for about as long, so that what is less says nothing of the step."""

SPIKE_SPREAD = 3
"""And is so many times as far above the middle step as four fifths of the others reach: what is usual on a machine, or in a loop, is no spike."""


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

    is_spike: bool
    """Whether it took much longer than the middle one of its capture."""

    label: TimeName
    """What its time was: the largest part; of a spike the one that is most above what that part is in the middle step."""

    site: Site | None
    """The line of the barrier that ended it."""


def from_events(events: Sequence[Stepped], timeline: Timeline) -> tuple[Step, ...]:
    """The steps that events tell of, as far as they lie in the window of a timeline, in the same order."""
    if not events:
        return ()
    window = timeline.bounds[0], timeline.bounds[-1]
    starts = np.clip([event.start_ns for event in events], *window)
    ends = np.maximum(np.clip([event.end_ns for event in events], *window), starts)
    parts = timeline.table(starts.tolist(), ends.tolist(), TIME_NAMES)
    is_spike = spikes(ends - starts)
    above = np.where(is_spike[:, None], parts - middle(parts), parts)
    most: list[int] = above.argmax(axis=1).tolist()
    labels = [TIME_NAMES[column] for column in most]
    return tuple(
        Step(
            index=event.index,
            start_ns=start_ns,
            wall_ns=wall_ns,
            parts=MappingProxyType(dict(zip(TIME_NAMES, row, strict=True))),
            is_spike=stands_out,
            label=name,
            site=event.site,
        )
        for event, start_ns, wall_ns, row, stands_out, name in zip(
            events, starts.tolist(), (ends - starts).tolist(), parts.tolist(), is_spike.tolist(), labels, strict=True
        )
    )


def spikes(walls: Nanoseconds) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which steps stand out.

    Args:
        walls: How long each took; at least one.
    """
    usual = middle(walls)
    most_reach = max(np.sort(walls)[(len(walls) - 1) * 4 // 5], usual)
    return (walls >= SPIKE_TIMES * usual) & (walls >= usual + SPIKE_LONGER_NS) & (walls >= usual + SPIKE_SPREAD * (most_reach - usual))


def middle(values: Nanoseconds) -> Nanoseconds:
    """The element of number floor(n / 2) of the sorted values, of each column if there are several."""
    return np.sort(values, axis=0)[len(values) // 2]
