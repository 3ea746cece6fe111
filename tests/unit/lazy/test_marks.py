"""Marks are equal when they mean the same, and only then."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from x10_jupyter.lazy.marks import Exact, Nested, Same, content

NAN = float("nan")
NUMBERS: list[Any] = [1, 1.0, True, 0, 0.0, -0.0, 1j, complex(-0.0, 1), NAN, np.float32(1), np.float64(1), 2**70]


@pytest.mark.parametrize("i", range(len(NUMBERS)))
def test_numbers_differ_unless_they_are_the_same_to_the_last_bit(i: int) -> None:
    for j, other in enumerate(NUMBERS):
        assert (Exact(NUMBERS[i]) == Exact(other)) is (i == j)
    assert hash(Exact(NUMBERS[i])) == hash(Exact(NUMBERS[i]))
    assert Exact(NUMBERS[i]) != NUMBERS[i]


def test_same_is_about_identity_and_keeps_it_alive() -> None:
    class Thing:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            raise TypeError("no hash")

    one, other = Thing(), Thing()
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
    assert Same(one) != one
    assert len({Same(one), Same(one), Same(other)}) == 2
    mark, known = Same(one), weakref.ref(one)
    del one
    gc.collect()
    assert known() is mark.it, "otherwise its address could become another's"


def test_they_read_as_the_user_would_write_them() -> None:
    assert [repr(Exact(0.5)), repr(Same(len)), repr(Same(3))] == ["0.5", "len", "int"]
    assert repr(Nested("code", ("k", "g"), (Exact(1), Same(len)))) == "k=1, g=len"


@pytest.mark.parametrize("other", [("b", ("k",), (1,)), ("a", ("j",), (1,)), ("a", ("k",), (2,))])
def test_nested_marks_are_equal_part_by_part(other: Any) -> None:
    mark = Nested("a", ("k",), (1,))
    assert mark == Nested("a", ("k",), (1,))
    assert hash(mark) == hash(Nested("a", ("k",), (1,)))
    assert mark != Nested(*other)
    assert mark != ("a", ("k",), (1,))


def test_content_of_arrays() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert content(x) == content(x.T.copy().T), "whatever their layout"
    others = [x.reshape(3, 2), x.astype(np.uint32), x + 1, np.array([[0, 1, 2], [3, 4, 5]], object)]
    assert len({content(x), *map(content, others)}) == 5
    assert content(np.array([1, "a"], object)) != content(np.array([1.0, "a"], object))
