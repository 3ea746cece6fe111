"""What was compiled is remembered, within bounds, and the nearest is found."""

import pytest

from signatures import function, signature
from x10_jupyter.observe import history
from x10_jupyter.observe.history import History, nearest
from x10_jupyter.observe.signature import Signature


def found(known: list[Signature], now: Signature) -> Signature | None:
    made = History()
    for one in known:
        made.put(function(), one)
    return nearest(made.family("step").known, made.sections(now))


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert found([], signature((2,))) is None


def test_fewest_differences_are_nearest_and_the_newest_of_equally_near_ones() -> None:
    a, b, c = signature((2,), (3,)), signature((5,), (3,)), signature((5,), (7,), transform="grad")
    assert found([a, b, c], signature((5,), (4,))) is b
    assert found([b, a, c], signature((6,), (3,))) is a
    assert found([a, b, c], signature((6,), (7,), transform="grad")) is c


def test_a_shape_that_differs_in_fewer_axes_is_nearer() -> None:
    batch, deep, other = signature((4, 8)), signature((2, 2, 2)), signature((3, 7))
    assert found([batch, other, deep], signature((5, 8))) is batch
    assert found([batch, deep, other], signature((5, 9))) is other, "as near as the batch, and newer"
    assert found([batch, other, deep], signature((2, 2, 3))) is deep


def test_the_very_same_function_is_nearer_than_any_other_of_its_code() -> None:
    mine, other = signature((2,), token=1), signature((5,), token=2)
    assert found([mine, other], signature((5,), token=1)) is mine
    assert found([mine, other], signature((5,), token=3)) is other


def test_what_is_not_known_of_a_signature_is_no_difference() -> None:
    learnt, heard = signature((2,), is_whole=False), signature((2,), options=(("inline", "True"),))
    assert found([heard, learnt], signature((2,), options=(("device", "x"),))) is learnt


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_FUNCTIONS", 3)
    monkeypatch.setattr(history, "MOST_INTERNED", 5)
    made = History()
    for number in range(8):
        made.put(function(f"f{number}", scope=("m", f"f{number}")), signature((number,)), source=f"f{number} at here:1")
    assert not made.family("f0").known
    assert made.family("f7").known
    assert made.in_scope(("m", "f0")) is None
    assert made.in_scope(("m", "f7")) == made.of_source("f7 at here:1") == "f7"
    monkeypatch.undo()
    many = made.family("many")
    for number in range(history.MOST_SIGNATURES + 5):
        made.put(function("many"), signature((number,)))
    assert len(many.known) == history.MOST_SIGNATURES
    made.clear()
    assert not made.family("f7").known
    assert made.of_source("f7 at here:1") is None
