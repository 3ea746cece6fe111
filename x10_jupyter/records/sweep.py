"""Who gets each nanosecond when intervals nest and overlap: the highest layer that covers it."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Nanoseconds = NDArray[np.int64]

Interval = tuple[int, int]
"""Start and end in nanoseconds; the end is not part of it. One that ends before it starts is empty."""

Intervals = Sequence[Interval] | Nanoseconds
"""Several, in any order; where there may be a million as an array, a row for each."""

Layer = tuple[str, Intervals]
"""A name and when it holds; its intervals may overlap and come in any order."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """A window cut into pieces that follow each other without gap or overlap, each with one name. As arrays, since there may be a million."""

    bounds: Nanoseconds
    """Where the pieces start, ascending, and last where the window ends: one more than pieces."""

    owners: NDArray[np.int64]
    """Of each piece, which of the names it has."""

    names: tuple[str, ...]
    """All names that there may be."""

    def pieces(self, names: Container[str]) -> Nanoseconds:
        """Start and end of the pieces that have one of some names, a row for each, ascending."""
        wanted = np.array([name in names for name in self.names], np.bool_)[self.owners]
        return np.stack([self.bounds[:-1][wanted], self.bounds[1:][wanted]], axis=1)

    def table(self, starts_ns: Sequence[int] | Nanoseconds, ends_ns: Sequence[int] | Nanoseconds, names: Sequence[str]) -> Nanoseconds:
        """Nanoseconds by name in many parts of the window at once: a row for each part, a column for each name.

        Args:
            starts_ns: Where each part begins; what lies before the window does not count.
            ends_ns: Where it ends, not before it begins; what lies after the window does not count.
            names: The columns.
        """
        found = np.zeros((len(starts_ns), len(names)), np.int64)
        if not len(self.owners) or not found.size:
            return found
        bounds = self.bounds
        columns = {name: column for column, name in enumerate(names)}
        owner = np.array([columns.get(name, -1) for name in self.names], np.int64)[self.owners]
        lengths = np.diff(bounds)
        starts, ends = [np.clip(np.array(times, np.int64), bounds[0], bounds[-1]) for times in (starts_ns, ends_ns)]
        at = [np.clip(np.searchsorted(bounds, times, "right") - 1, 0, len(owner) - 1) for times in (starts, ends)]
        for column in np.unique(owner[owner >= 0]):
            mine = owner == column
            before = np.concatenate([[0], np.cumsum(lengths * mine)])
            from_start, to_end = [before[piece] + (times - bounds[piece]) * mine[piece] for piece, times in zip(at, (starts, ends), strict=True)]
            found[:, column] = to_end - from_start
        return found


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
    return Timeline(np.append(bounds[:-1][is_new], end_ns), owner[is_new], tuple(names))


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
