"""Who gets each nanosecond when intervals nest and overlap: the highest layer that covers it."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Nanoseconds = NDArray[np.int64]

Interval = tuple[int, int]
"""Start and end in nanoseconds; the end is not part of it. One that ends before it starts is empty."""

Layer = tuple[str, Sequence[Interval]]
"""A name and when it holds; its intervals may overlap and come in any order."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A window cut into pieces that follow each other without gap or overlap, each with one name."""

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
        bounds = np.array(self.bounds, np.int64)
        columns = {name: column for column, name in enumerate(names)}
        owner = np.array([columns.get(name, -1) for name in self.names], np.int64)
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
    # With arrays, since a capture may have a million intervals.
    clipped = [np.clip(np.array(intervals, np.int64).reshape(-1, 2), start_ns, end_ns) for _, intervals in layers]
    clipped = [one[one[:, 0] < one[:, 1]] for one in clipped]
    times = np.sort(np.concatenate([[start_ns, end_ns], *[one.ravel() for one in clipped]]))
    bounds = times[np.diff(times, prepend=start_ns - 1) > 0]
    names = list(dict.fromkeys([rest, *[name for name, _ in layers]]))
    owner = np.zeros(len(bounds) - 1, np.int64)
    for (name, _), one in zip(reversed(layers), reversed(clipped), strict=True):
        begun, finished = [np.bincount(np.searchsorted(bounds, one[:, side]), minlength=len(bounds)) for side in (0, 1)]
        owner[np.cumsum(begun - finished)[:-1] > 0] = names.index(name)
    is_new = np.diff(owner, prepend=-1) != 0
    which: list[int] = owner[is_new].tolist()
    return Timeline((*bounds[:-1][is_new].tolist(), end_ns), tuple([names[one] for one in which]))


def clip(intervals: Iterable[Interval], start_ns: int, end_ns: int) -> list[Interval]:
    """The parts that lie in a window; those that do not are left out."""
    inside = ((max(begin, start_ns), min(finish, end_ns)) for begin, finish in intervals)
    return [(begin, finish) for begin, finish in inside if begin < finish]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same time without overlap: ascending, apart from each other, none empty."""
    merged: list[Interval] = []
    for begin, finish in sorted(intervals):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(finish, merged[-1][1]))
        elif begin < finish:
            merged.append((begin, finish))
    return merged


def intersect(left: Iterable[Interval], right: Iterable[Interval]) -> list[Interval]:
    """The time that is in both, as a union."""
    one, other = union(left), union(right)
    common: list[Interval] = []
    i = j = 0
    while i < len(one) and j < len(other):
        begin, finish = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if begin < finish:
            common.append((begin, finish))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return common


def length_ns(intervals: Iterable[Interval]) -> int:
    """How much time the intervals cover, overlaps once, in nanoseconds."""
    return sum(finish - begin for begin, finish in union(intervals))
