"""Where the boxes of a graph go: in rows, each below all that it takes from, with few crossings and short edges.

Longest paths, with at most so many boxes a row; then sweeps that put each box near the middle of its neighbours. There are no boxes for edges that pass through
rows, which other methods need; a training step has millions of those.
"""

from collections.abc import Sequence

SWEEPS = 6
"""Passes down and up; more change little."""


def rows_of(size: int, edges: Sequence[tuple[int, int]], width: int) -> list[int]:
    """The row of each box, from 0: below all that it takes from, and where there is room.

    Args:
        size: Boxes, numbered so that each comes after those it takes from.
        edges: Maker and taker.
        width: Boxes in a row, at most.
    """
    takes = neighbours(size, [(target, source) for source, target in edges])
    rows, filled = list[int](), dict[int, int]()
    for box in range(size):
        row = max([rows[source] + 1 for source in takes[box]], default=0)
        while filled.get(row, 0) >= width:
            row += 1
        filled[row] = filled.get(row, 0) + 1
        rows.append(row)
    return rows


def neighbours(size: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """For each box those that edges lead to."""
    found: list[list[int]] = [[] for _ in range(size)]
    for source, target in edges:
        found[source].append(target)
    return found


def places_of(rows: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[float]:
    """Where the middle of each box stands in its row, in widths of a box: at least 1 apart, and around 0.

    Args:
        rows: The row of each box.
        edges: Maker and taker.
    """
    size = len(rows)
    above, below = [neighbours(size, pairs) for pairs in ([(target, source) for source, target in edges], edges)]
    members: list[list[int]] = [[] for _ in range(max(rows, default=-1) + 1)]
    for box, row in enumerate(rows):
        members[row].append(box)
    places = [0.0] * size
    for row in members:
        spread(row, places, {box: float(which) for which, box in enumerate(row)})
    for sweep in range(SWEEPS):
        near, order = (above, members) if sweep % 2 == 0 else (below, members[::-1])
        for row in order:
            wanted = {box: sum(places[other] for other in near[box]) / len(near[box]) if near[box] else places[box] for box in row}
            row.sort(key=lambda box: wanted[box])
            spread(row, places, wanted)
    return places


def spread(row: Sequence[int], places: list[float], wanted: dict[int, float]) -> None:
    """Put the boxes of a row, in order, as near as possible to where they want to be, at least 1 apart: the least squares of what they miss.

    Args:
        row: Boxes from left to right.
        places: Gets their places.
        wanted: Where each would be if it were alone, ascending.
    """
    # Without the distance that the order asks for, places must not descend; those that would are replaced by their mean.
    pools: list[tuple[float, int]] = []
    for which, box in enumerate(row):
        total, size = wanted[box] - which, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            before = pools.pop()
            total, size = total + before[0], size + before[1]
        pools.append((total, size))
    means = [total / size for total, size in pools for _ in range(size)]
    for which, (box, mean) in enumerate(zip(row, means, strict=True)):
        places[box] = mean + which
