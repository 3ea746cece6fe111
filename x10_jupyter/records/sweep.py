"""Who gets each nanosecond when intervals nest and overlap: the highest layer that covers it."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Nanoseconds = NDArray[np.int64]

Interval = tuple[int, int]
"""Start and end in nanoseconds; the end is not part of it. One that ends before it starts is empty."""

Intervals = Sequence[Interval] | Nanoseconds
"""Several, in any order; where there may be a million as an array, a row for each."""

Layer = tuple[str, Intervals]
"""A name and when it holds; its intervals may overlap and come in any order."""


@dataclass(frozen=True)
class Timeline:
    """A window cut into pieces that follow each other without gap or overlap, each with one name. Without slots, so that what follows is computed once."""

    bounds: tuple[int, ...]
    """Where the pieces start, ascending, and last where the window ends: one more than names."""

    names: tuple[str, ...]
    """Name of each piece."""

    def totals(self, start_ns: int, end_ns: int) -> dict[str, int]:
        """Nanoseconds by name in a part of the window; they sum to the length of that part.

        Args:
            start_ns: Where the part begins; what lies before the window does not count.
            end_ns: Where it ends; what lies after the window does not count.
        """
        found: Counter[str] = Counter()
        first = max(bisect_right(self.bounds, start_ns) - 1, 0)
        last = min(bisect_left(self.bounds, end_ns), len(self.names)) if start_ns < end_ns else first
        for index in range(first, last):
            found[self.names[index]] += min(self.bounds[index + 1], end_ns) - max(self.bounds[index], start_ns)
        return dict(found)

    def table(self, starts_ns: Sequence[int], ends_ns: Sequence[int], names: Sequence[str]) -> Nanoseconds:
        """Nanoseconds by name in many parts of the window at once: a row for each part, a column for each name.

        Args:
            starts_ns: Where each part begins; what lies before the window does not count.
            ends_ns: Where it ends, not before it begins; what lies after the window does not count.
            names: The columns.
        """
        found = np.zeros((len(starts_ns), len(names)), np.int64)
        if not self.names or not found.size:
            return found
        bounds, known, codes = self._arrays
        columns = {name: column for column, name in enumerate(names)}
        owner = np.array([columns.get(name, -1) for name in known], np.int64)[codes]
        lengths = np.diff(bounds)
        starts, ends = [np.clip(np.array(times, np.int64), bounds[0], bounds[-1]) for times in (starts_ns, ends_ns)]
        at = [np.clip(np.searchsorted(bounds, times, "right") - 1, 0, len(owner) - 1) for times in (starts, ends)]
        for column in np.unique(owner[owner >= 0]):
            mine = owner == column
            before = np.concatenate([[0], np.cumsum(lengths * mine)])
            from_start, to_end = [before[piece] + (times - bounds[piece]) * mine[piece] for piece, times in zip(at, (starts, ends), strict=True)]
            found[:, column] = to_end - from_start
        return found

    @cached_property
    def _arrays(self) -> tuple[Nanoseconds, list[str], Nanoseconds]:
        """The bounds, the names that there are, and for each piece which of them it has."""
        known = list(dict.fromkeys(self.names))
        codes = {name: code for code, name in enumerate(known)}
        return np.array(self.bounds, np.int64), known, np.array([codes[name] for name in self.names], np.int64)


def sweep(start_ns: int, end_ns: int, layers: Sequence[Layer], *, rest: str) -> Timeline:
    """Give each nanosecond of a window to the first layer that covers it.

    Args:
        start_ns: Where the window begins.
        end_ns: Where it ends; not before it begins.
        layers: Highest first.
        rest: Name of what no layer covers.
    """
    clipped = [clip(intervals, start_ns, end_ns) for _, intervals in layers]
    bounds = bounds_of(np.array([[start_ns, end_ns]]), *clipped)
    names = list(dict.fromkeys([rest, *[name for name, _ in layers]]))
    owner = np.zeros(len(bounds) - 1, np.int64)
    for (name, _), one in zip(reversed(layers), reversed(clipped), strict=True):
        owner[is_covered(bounds, one)] = names.index(name)
    is_new = np.diff(owner, prepend=-1) != 0
    which: list[int] = owner[is_new].tolist()
    return Timeline((*bounds[:-1][is_new].tolist(), end_ns), tuple([names[one] for one in which]))


def array(intervals: Intervals) -> Nanoseconds:
    """The same as an array."""
    return intervals if isinstance(intervals, np.ndarray) else np.array(intervals, np.int64).reshape(-1, 2)


def bounds_of(*several: Nanoseconds) -> Nanoseconds:
    """All starts and ends, each once, ascending."""
    times = np.sort(np.concatenate([one.ravel() for one in several]))
    return times[np.diff(times, prepend=times[:1] - 1) > 0]


def is_covered(bounds: Nanoseconds, intervals: Nanoseconds) -> NDArray[np.bool_]:
    """For each piece between two bounds, whether some interval covers it; each starts and ends at bounds, and none is empty."""
    begun, finished = [np.bincount(np.searchsorted(bounds, intervals[:, side]), minlength=len(bounds)) for side in (0, 1)]
    return np.cumsum(begun - finished)[:-1] > 0


def clip(intervals: Intervals, start_ns: int, end_ns: int) -> Nanoseconds:
    """The parts that lie in a window; those that do not are left out."""
    inside = np.clip(array(intervals), start_ns, end_ns)
    return inside[inside[:, 0] < inside[:, 1]]


def intersect(left: Intervals, right: Intervals) -> Nanoseconds:
    """The time that is in both: ascending, apart from each other, none empty."""
    both = [one[one[:, 0] < one[:, 1]] for one in map(array, (left, right))]
    if not len(both[0]) or not len(both[1]):
        return array([])
    bounds = bounds_of(*both)
    covered = np.concatenate([[False], is_covered(bounds, both[0]) & is_covered(bounds, both[1]), [False]])
    return bounds[np.flatnonzero(np.diff(covered))].reshape(-1, 2)


def union(intervals: Intervals) -> list[Interval]:
    """The same time without overlap: ascending, apart from each other, none empty."""
    starts, ends = intersect(intervals, intervals).T.tolist()
    return list(zip(starts, ends, strict=True))


def length_ns(intervals: Intervals) -> int:
    """How much time the intervals cover, overlaps once, in nanoseconds."""
    return int(np.diff(intersect(intervals, intervals)).sum())


def total_ns(timeline: Timeline, intervals: Intervals, name: str) -> int:
    """Nanoseconds of a name while some intervals last, which do not overlap."""
    starts, ends = array(intervals).T.tolist()
    return int(timeline.table(starts, ends, [name]).sum())
