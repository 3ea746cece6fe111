"""The nearest of what is known is found."""

import pytest

from signatures import function, signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.history import History
from x10_jupyter.observe.nearest import FAR, apart, nearest, numbers_apart
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.values import evidence_of


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
    assert found([a, b, c], signature((6,), (3,))) is b
    assert found([b, signature((5,), (3,)), a], signature((6,), (3,))) is not b, "there is a newer one"
    assert found([a, b, c], signature((6,), (7,), transform="grad")) is c


def test_a_shape_that_differs_in_fewer_axes_is_nearer() -> None:
    batch, deep, other = signature((4, 8)), signature((2, 2, 2)), signature((3, 7))
    assert found([batch, other, deep], signature((5, 8))) is batch
    assert found([batch, deep, other], signature((5, 9))) is batch, "the other is as near in axes, and farther in them"
    assert found([batch, other, deep], signature((2, 2, 3))) is deep


def test_the_very_same_function_is_nearer_than_any_other_of_its_code() -> None:
    mine, other = signature((2,), token=1), signature((5,), token=2)
    assert found([mine, other], signature((5,), token=1)) is mine
    assert found([mine, other], signature((5,), token=3)) is other


def test_what_is_not_known_of_a_signature_is_no_difference() -> None:
    learnt, heard = signature((2,), is_whole=False), signature((2,), options=(("inline", "True"),))
    assert found([heard, learnt], signature((2,), options=(("device", "x"),))) is learnt


def test_a_length_that_is_nearer_is() -> None:
    one, ten = signature((128, 1)), signature((128, 10))
    assert found([ten, one], signature((128, 11))) is ten
    assert found([one, ten], signature((128, 2))) is one


def test_fewer_arrays_that_differ_are_nearer_than_lengths_that_are() -> None:
    far, near = signature((3,), (900,)), signature((5,), (6,))
    assert found([far, near], signature((4,), (900,))) is far


def numbered(*values: object) -> Signature:
    return signature(rows=tuple(Row(f"n{index}", Static(str(value), evidence_of(value))) for index, value in enumerate(values)))


def test_a_static_number_that_is_nearer_is() -> None:
    hundred, one = numbered(100), numbered(1)
    assert found([hundred, one], numbered(99)) is hundred
    pair, other = numbered((2, 100)), numbered((2, 1))
    assert found([pair, other], numbered((2, 90))) is pair
    text, other = numbered("b", 7), numbered("a", 6)
    assert found([numbered("b", 1), text, other], numbered("b", 6)) is text, "a text is near to no other"


def test_fewer_parts_of_a_tree_that_differ_are_nearer() -> None:
    def listed(length: int) -> Signature:
        rows = (Row("xs", Node(f"list of {length}", length)), *(Row(f"xs[{index}]", Static("1", 1)) for index in range(length)))
        return signature(rows=rows)

    two, nine = listed(2), listed(9)
    assert found([two, nine], listed(3)) is two
    assert found([nine, two], listed(8)) is nine


@pytest.mark.parametrize(("old", "new", "how"), [(1, 1, 0.0), (0, 5, FAR), (-1, 1, FAR), (1e300, 1e300, FAR)])
def test_numbers_are_apart_by_their_ratio(old: float, new: float, how: float) -> None:
    assert apart(old, new) == how


def test_only_numbers_of_one_type_are_near() -> None:
    assert numbers_apart(evidence_of(1), evidence_of(1.0)) == numbers_apart(evidence_of("a"), evidence_of("b")) == FAR
    assert numbers_apart(evidence_of((1, 2)), evidence_of((1, 2, 3))) == FAR
