"""The parts of a signature."""

from signatures import signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.signature import AVALS, OPTIONS, PLACES

STRUCTURE, STATICS = 5, 6


def test_the_parts_are_told_apart() -> None:
    rows = (Row("p", Node("{'w'}", 1)), *signature((2,)).rows, Row("n", Static("1", ("int", "1"))))
    sections = signature(rows=rows, options=(("inline", "True"),)).sections()
    assert sections[STRUCTURE] == (("p", rows[0].what), ("x0", None), ("n", None))
    assert sections[STATICS] == (("n", ("int", "1")),)
    assert (sections[OPTIONS], sections[AVALS], sections[PLACES]) == ((("inline", "True"),), (rows[1].what,), ("",))


def test_equal_signatures_have_equal_parts() -> None:
    assert signature((2,), (3,)).sections() == signature((2,), (3,)).sections() != signature((3,), (2,)).sections()
