"""Who gets each nanosecond when intervals nest and overlap: the highest layer that covers it."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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


def sweep(start_ns: int, end_ns: int, layers: Sequence[Layer], *, rest: str) -> Timeline:
    """Give each nanosecond of a window to the first layer that covers it.

    Args:
        start_ns: Where the window begins.
        end_ns: Where it ends; not before it begins.
        layers: Highest first.
        rest: Name of what no layer covers.
    """
    changes: list[tuple[int, int, int]] = []
    for depth, (_, intervals) in enumerate(layers):
        for begin, finish in clip(intervals, start_ns, end_ns):
            changes += (begin, depth, 1), (finish, depth, -1)
    changes.sort()
    bounds, names, at = [start_ns], list[str](), start_ns
    active = [0] * len(layers)
    for time_ns, depth, change in [*changes, (end_ns, 0, 0)]:
        if time_ns > at:
            name = next((layers[i][0] for i, count in enumerate(active) if count), rest)
            if names and names[-1] == name:
                bounds[-1] = time_ns
            else:
                names.append(name)
                bounds.append(time_ns)
            at = time_ns
        if change:
            active[depth] += change
    return Timeline(tuple(bounds), tuple(names))


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
