"""Values of one hash are told apart as JAX does."""

import gc
from typing import Any

import pytest

from x10_jupyter.observe import equals
from x10_jupyter.observe.equals import Equals, are_equal


class Same:
    """All of these have one hash."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.number == self.number


class Itself:
    def __hash__(self) -> int:
        return 1


class Unsure:
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


def numbers(made: Equals, *values: Any) -> list[int]:
    return [made.number_of(value, 1) for value in values]


def test_values_of_one_hash_are_as_equal_as_they_say() -> None:
    one, two, again = Same(1), Same(2), Same(1)
    assert numbers(Equals(), one, two, again, two) == [0, 1, 0, 1]


def test_one_that_is_gone_is_taken_for_equal_unless_none_is() -> None:
    made = Equals()
    kept, value = Same(2), Same(1)
    assert numbers(made, kept, value) == [0, 1]
    del value
    gc.collect()
    assert numbers(made, Same(1), kept) == [1, 0]
    made, other = Equals(), Itself()
    assert numbers(made, other) == [0]
    del other
    gc.collect()
    assert numbers(made, Itself()) == [1]


def test_what_cannot_say_is_not_equal_and_what_cannot_be_referred_to_is_known_by_its_hash() -> None:
    assert not are_equal(Unsure(), Unsure())
    assert numbers(Equals(), (1,), (2,)) == [0, 0]


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equals, "MOST", 3)
    made, kept = Equals(), [Same(number) for number in range(2)]
    assert numbers(made, *kept) == [0, 1]
    for number in range(2, 6):
        assert made.number_of(kept[1], number) == 0
    assert made.number_of(kept[1], 1) == 0, "forgotten"
