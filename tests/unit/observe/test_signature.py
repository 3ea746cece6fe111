"""The parts of a signature."""

from signatures import signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.signature import AVALS, BY, INTERNALS, NOT_LEARNT, OPTIONS, PLACES, PROGRAM, STATICS, STRUCTURE, TRANSFORM


def test_the_parts_are_told_apart() -> None:
    rows = (Row("p", Node("{'w'}", 1)), *signature((2,)).rows, Row("n", Static("1", ("int", "1"))), Row("sharding", Static("", 7, is_internal=True)))
    sections = signature(rows=rows, options=(("inline", "True"),)).sections()
    assert sections[STRUCTURE] == (("p", rows[0].what), ("x0", None), ("n", None), ("sharding", None))
    assert sections[STATICS] == (("n", ("int", "1")),)
    assert sections[INTERNALS] == (("sharding", 7),)
    assert (sections[OPTIONS], sections[AVALS], sections[PLACES]) == ((("inline", "True"),), (rows[1].what,), ("",))


def test_equal_signatures_have_equal_parts() -> None:
    assert signature((2,), (3,)).sections() == signature((2,), (3,)).sections() != signature((3,), (2,)).sections()


def test_what_is_not_learnt_of_jax_is_what_it_does_not_tell() -> None:
    sections = signature(transform="grad", by=("a",), program=("f32[]",), options=(("inline", "True"),)).sections()
    assert (sections[TRANSFORM], sections[BY], sections[PROGRAM]) == ("grad", ("a",), ("f32[]",))
    assert {TRANSFORM, BY, PROGRAM, OPTIONS, PLACES} == set(NOT_LEARNT)
