"""Phases belong together."""

from dataclasses import replace

from signatures import function, signature
from x10_jupyter.observe.making import Making
from x10_jupyter.observe.underway import MOST, Underway


def making(key: int, *, is_traced: bool = False, is_ahead: bool = False, size: int = 4) -> Making:
    return Making((key,), function(), signature((size,)), "", is_traced, is_ahead)


def test_a_phase_goes_on_with_what_its_call_began() -> None:
    under_way = Underway()
    begun = making(1, is_traced=True)
    assert under_way.of_call((1,)) is None
    under_way.keep("f", begun)
    assert under_way.of_call((1,)) is begun
    under_way.drop("f", begun)
    assert under_way.of_call((1,)) is None


def test_what_is_lowered_ahead_of_time_is_known_by_its_name_if_there_is_one() -> None:
    under_way = Underway()
    assert under_way.ahead("f") is None
    one, other = making(1, is_ahead=True), making(2, is_ahead=True, size=5)
    under_way.keep("f", one)
    under_way.keep("f", making(3, is_ahead=True))
    assert under_way.ahead("f") is not None
    under_way.keep("f", other)
    assert under_way.ahead("f") is None
    under_way.drop("f", other)
    assert under_way.ahead("f") is not None


def test_what_was_compiled_ahead_of_time_is_known_once_more_if_there_is_one() -> None:
    under_way = Underway()
    one = making(1, is_ahead=True)
    assert under_way.again("f") is None
    for _ in range(2):
        under_way.keep("f", one)
        under_way.drop("f", replace(one))
        assert (under_way.ahead("f"), under_way.again("f")) == (None, one)
    under_way.drop("f", replace(making(2, is_ahead=True), function=function(token=2)))
    assert under_way.again("f") is None


def test_it_is_bounded() -> None:
    under_way = Underway()
    for key in range(MOST + 3):
        under_way.keep("f", making(key))
    assert under_way.of_call((0,)) is None
    assert under_way.of_call((MOST,)) is not None
