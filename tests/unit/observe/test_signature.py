"""The parts of a signature."""

from signatures import signature
from x10_jupyter.observe.arguments import Node, Row, Static
from x10_jupyter.observe.signature import OPTIONS, PLACES


def test_the_parts_are_told_apart() -> None:
    rows = (Row("p", Node("{'w'}", "", 1)), *signature((2,)).rows, Row("n", Static("1", ("int", "1"))))
    made = signature(rows=rows, options=(("inline", "True"),))
    assert made.structure == (("p", rows[0].what), ("x0", None), ("n", None))
    assert made.avals == (rows[1].what,)
    assert made.statics == (("n", rows[2].what),)
    assert made.sections()[OPTIONS] == made.options
    assert made.sections()[PLACES] == made.places == ("",)


def test_equal_signatures_have_equal_parts() -> None:
    assert signature((2,), (3,)).sections() == signature((2,), (3,)).sections() != signature((3,), (2,)).sections()
