"""Steps as a reader of a capture finds them, and which of them stand out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple, overload

import numpy as np

from x10_jupyter.records.accounting import TIME_NAMES, TimeName
from x10_jupyter.records.kinds import spans
from x10_jupyter.records.runtime_events import Stepped
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


class Before(NamedTuple):
    """What is known of the time before a timeline begins, so that a step that was under way then has all its parts."""

    start_ns: int
    """When the window began that the timeline is the end of."""

    mark_ns: int
    """From where on it is known what happened."""

    since_mark: Mapping[TimeName, int]
    """Nanoseconds by name from there to the beginning of the timeline."""


class Steps(Sequence[Step]):
    """The steps of a capture, in order. Each is made when it is asked for, since there may be a hundred thousand of which a few are looked at."""

    def __init__(self, events: Sequence[Stepped], timeline: Timeline, before: Before | None = None, kept: Sequence[Step] = (), left_out: int = 0) -> None:
        """Take the steps that events tell of, as far as they lie in a window.

        Args:
            events: They.
            timeline: Of the window, or of its end.
            before: What is known of the beginning, if the timeline is of the end; what is not known of it is ``unexplained``.
            kept: Steps before them, of which there are no events.
            left_out: How many more there were.
        """
        self.left_out = left_out
        """Steps of a long capture that are not among these."""
        self._events, self._kept = events, kept
        begin_ns, end_ns = int(timeline.bounds[0]), int(timeline.bounds[-1])
        window = begin_ns if before is None else before.start_ns, end_ns
        begun, ended = spans(events).T
        starts = np.clip(begun, *window)
        ends = np.maximum(np.clip(ended, *window), starts)
        self._parts = timeline.table(np.maximum(starts, begin_ns), np.maximum(ends, begin_ns), TIME_NAMES)
        for row in np.flatnonzero(starts < begin_ns).tolist() if before is not None else ():
            self._parts[row] += early(int(starts[row]), int(ends[row]), begin_ns, before)
        if kept:
            starts = np.concatenate([[step.start_ns for step in kept], starts])
            ends = np.concatenate([[step.start_ns + step.wall_ns for step in kept], ends])
            self._parts = np.concatenate([[[step.parts.get(name, 0) for name in TIME_NAMES] for step in kept], self._parts])
        walls = ends - starts
        stands_out = spikes(walls) if len(walls) else np.zeros(0, np.bool_)
        above = np.where(stands_out[:, None], self._parts - middle(self._parts), self._parts) if len(walls) else self._parts
        most: list[int] = above.argmax(axis=1).tolist()
        self.starts_ns: list[int] = starts.tolist()
        """When each began."""
        self.walls_ns: list[int] = walls.tolist()
        """How long each took."""
        self.are_spikes: list[bool] = stands_out.tolist()
        """Of each whether it is one."""
        self.labels: list[TimeName] = [TIME_NAMES[column] for column in most]
        """What the time of each was."""

    def total_ns(self, *names: TimeName) -> int:
        """Nanoseconds of these steps together that have one of some names."""
        return int(self._parts[:, [TIME_NAMES.index(name) for name in names]].sum())

    def __len__(self) -> int:
        return len(self._kept) + len(self._events)

    @overload
    def __getitem__(self, which: int) -> Step: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, which: int | slice) -> Step | tuple[Step, ...]:
        if isinstance(which, slice):
            return tuple([self[place] for place in range(*which.indices(len(self)))])
        which = range(len(self))[which]
        if which < len(self._kept):
            return replace(self._kept[which], is_spike=self.are_spikes[which], label=self.labels[which])
        event = self._events[which - len(self._kept)]
        row: list[int] = self._parts[which].tolist()
        return Step(
            index=event.index,
            start_ns=self.starts_ns[which],
            wall_ns=self.walls_ns[which],
            parts=MappingProxyType(dict(zip(TIME_NAMES, row, strict=True))),
            is_spike=self.are_spikes[which],
            label=self.labels[which],
            site=event.site,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Steps) and list(self) == list(other)

    __hash__ = None  # pyright: ignore[reportAssignmentType] # as of any list

    def __repr__(self) -> str:
        return f"Steps({list(self)!r})"


def early(start_ns: int, end_ns: int, begin_ns: int, before: Before | None) -> list[int]:
    """Nanoseconds of a step by name before its timeline begins.

    Args:
        start_ns: When the step began.
        end_ns: When it ended.
        begin_ns: When the timeline begins.
        before: What is known of the time before; None if nothing is.
    """
    if before is not None and start_ns == before.mark_ns and end_ns >= begin_ns:
        return [before.since_mark.get(name, 0) for name in TIME_NAMES]
    length_ns = min(end_ns, begin_ns) - start_ns
    return [length_ns if name == "unexplained" else 0 for name in TIME_NAMES]


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
