"""What only a list refers to."""

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from x10_jupyter.lazy.counts import DEAD, alone, counts, held


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 3)))
def test_references_are_counted_as_python_counts_them(times: list[int]) -> None:
    items: list[object] = [object() for _ in times]
    others = [[item] * n for item, n in zip(items, times, strict=True)]
    assert [count - DEAD for count in counts(items)] == times
    assert held(items) == tuple(i for i, n in enumerate(times) if n)
    assert alone(items) == tuple(i for i, n in enumerate(times) if not n)
    del others
    assert held(items) == ()


def test_none_is_no_item_that_somebody_holds() -> None:
    kept = object()
    assert held([None, kept, None]) == (1,)
    assert alone([None, kept]) == ()


def test_a_variable_counts_and_a_look_leaves_nothing_behind() -> None:
    items = [object()]
    mine = items[0]
    before = sys.getrefcount(mine)
    assert (held(items), alone(items), counts(items)) == ((0,), (), [DEAD + 1])
    assert sys.getrefcount(mine) == before
