from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.records.sweep import Interval, Intervals, Layer, clip, intersect, length_ns, sweep, total_ns, union

WINDOW = (10, 40)
intervals = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=6)
layers = st.lists(st.tuples(st.sampled_from("abcd"), intervals), max_size=5)


def covers(interval: Interval, time: int) -> bool:
    return interval[0] <= time < interval[1]


def owner(stack: list[Layer], time: int) -> str:
    return next((name for name, spans in stack if any(covers(span, time) for span in spans)), "rest")


def points(spans: Intervals) -> set[int]:
    return {time for span in spans for time in range(*span)}


@given(layers, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).map(sorted), max_size=5))
def test_each_nanosecond_goes_to_the_first_layer_that_covers_it(stack: list[Layer], parts: list[list[int]]) -> None:
    found, names = sweep(*WINDOW, stack, rest="rest"), ["d", "rest", "a", "b", "c"]
    owners = [[owner(stack, time) for time in range(max(start, WINDOW[0]), min(end, WINDOW[1]))] for start, end in parts]
    assert found.table([start for start, _ in parts], [end for _, end in parts], names).tolist() == [[each.count(name) for name in names] for each in owners]


@given(layers)
def test_the_pieces_of_some_names(stack: list[Layer]) -> None:
    found = sweep(*WINDOW, stack, rest="rest")
    assert points(found.pieces(["rest", "b"])) == {time for time in range(*WINDOW) if owner(stack, time) in ("rest", "b")}


@given(layers)
def test_pieces_fill_the_window_and_differ_from_their_neighbours(stack: list[Layer]) -> None:
    found = sweep(*WINDOW, stack, rest="rest")
    assert (found.bounds[0], found.bounds[-1]) == WINDOW
    assert found.bounds.tolist() == sorted(set(found.bounds.tolist()))
    assert all(left != right for left, right in pairwise(found.owners.tolist()))
    assert int(found.table([WINDOW[0]], [WINDOW[1]], found.names).sum()) == WINDOW[1] - WINDOW[0]


def test_an_empty_window_has_no_pieces() -> None:
    assert sweep(5, 5, [("a", [(0, 9)])], rest="rest").pieces(["a", "rest"]).tolist() == []
    assert sweep(5, 5, [("a", [(0, 9)])], rest="rest").table([5], [5], ["a"]).tolist() == [[0]]


@given(intervals, intervals)
def test_set_operations_are_those_of_sets_of_nanoseconds(left: list[Interval], right: list[Interval]) -> None:
    assert points(union(left)) == points(left)
    assert points(intersect(left, right)) == points(left) & points(right)
    assert points(clip(left, *WINDOW)) == points(left) & set(range(*WINDOW))
    assert length_ns(left) == len(points(left))


@given(intervals)
def test_a_union_is_ascending_and_its_parts_do_not_touch(spans: list[Interval]) -> None:
    merged = union(spans)
    assert all(begin < finish for begin, finish in merged)
    assert all(left[1] < right[0] for left, right in pairwise(merged))


def test_the_total_of_a_name_in_some_intervals() -> None:
    timeline = sweep(0, 10, [("a", [(2, 6)])], rest="b")
    assert (total_ns(timeline, [(0, 3), (5, 9)], "a"), total_ns(timeline, [(0, 3), (5, 9)], "b"), total_ns(timeline, [], "a")) == (2, 5, 0)
