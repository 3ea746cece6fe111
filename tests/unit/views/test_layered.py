from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.views.layered import places_of, rows_of, spread


@st.composite
def acyclic(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """How many boxes, and who takes from whom."""
    size = draw(st.integers(1, 25))
    pairs = list(combinations(range(size), 2))
    return size, draw(st.lists(st.sampled_from(pairs), unique=True, max_size=40)) if pairs else []


@given(acyclic(), st.integers(1, 5))
def test_each_box_is_below_all_it_takes_from_and_rows_are_not_too_wide(made: tuple[int, list[tuple[int, int]]], width: int) -> None:
    size, edges = made
    rows = rows_of(size, edges, width)
    assert all(rows[source] < rows[target] for source, target in edges)
    assert max(rows.count(row) for row in rows) <= width
    assert set(rows) == set(range(max(rows) + 1)), "no row is empty"


@given(acyclic(), st.integers(1, 5))
def test_boxes_of_a_row_do_not_overlap(made: tuple[int, list[tuple[int, int]]], width: int) -> None:
    size, edges = made
    rows = rows_of(size, edges, width)
    places = places_of(rows, edges)
    for row in set(rows):
        together = sorted(place for place, its in zip(places, rows, strict=True) if its == row)
        assert all(right - left >= 1 - 1e-9 for left, right in pairwise(together))


def test_a_chain_is_straight() -> None:
    edges = [(box, box + 1) for box in range(5)]
    assert places_of(rows_of(6, edges, 6), edges) == pytest.approx([0.0] * 6)


def test_crossings_are_undone() -> None:
    """Two chains, whose second boxes come in the other order."""
    edges = [(0, 3), (1, 2)]
    places = places_of(rows_of(4, edges, 6), edges)
    assert (places[0] < places[1]) == (places[3] < places[2])


def test_a_box_stands_below_the_middle_of_what_it_takes() -> None:
    edges = [(0, 3), (1, 3), (2, 3)]
    places = places_of(rows_of(4, edges, 6), edges)
    assert places[3] == pytest.approx(sum(places[:3]) / 3)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8).map(sorted))
def test_places_are_the_least_squares_of_all_that_are_apart(wanted: list[float]) -> None:
    row, places = list(range(len(wanted))), [0.0] * len(wanted)
    spread(row, places, dict(enumerate(wanted)))
    assert all(right - left >= 1 - 1e-9 for left, right in pairwise(places))
    best = sum((place - want) ** 2 for place, want in zip(places, wanted, strict=True))
    for which in row:
        for step in (-0.01, 0.01):
            moved = [place + step * (each == which) for each, place in enumerate(places)]
            if all(right - left >= 1 for left, right in pairwise(moved)):
                assert sum((place - want) ** 2 for place, want in zip(moved, wanted, strict=True)) >= best - 1e-9
    if all(right - left >= 1 for left, right in pairwise(wanted)):
        assert places == pytest.approx(wanted)
