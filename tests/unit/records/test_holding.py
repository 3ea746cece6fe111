from dataclasses import FrozenInstanceError

import pytest

from factories import device, holding


def test_what_is_not_told_is_none_and_not_nought() -> None:
    made = device(100)
    assert (made.allocated_bytes, made.peak_bytes, made.limit_bytes, made.busy_percent) == (None,) * 4


def test_holdings_of_a_line_are_equal_and_cannot_be_changed() -> None:
    one = holding(10)
    assert one == holding(10) != holding(10, line=8)
    with pytest.raises(FrozenInstanceError):
        one.count = 2  # pyright: ignore[reportAttributeAccessIssue] # that is the point
