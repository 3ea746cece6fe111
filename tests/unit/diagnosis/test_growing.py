from itertools import pairwise

import pytest

from factories import MS, capture, site, staged
from x10_jupyter.diagnosis.growing import growing
from x10_jupyter.records.cause import Cause, Kind
from x10_jupyter.records.compile import Compile


def compiles(*texts: str, kind: Kind = "shape", **fields: object) -> tuple[Compile, ...]:
    """One for each step from a text to the next."""
    causes = [Cause(kind=kind, where="x", old=old, new=new) for old, new in pairwise(texts)]
    return capture(*[staged(at * MS, (at + 1) * MS, **{"is_eager": True, "cause": cause, **fields}) for at, cause in enumerate(causes)]).compiles


@pytest.mark.parametrize("texts", [["f32[3]", "f32[4]", "f32[9]"], ["(2, 3)", "(2, 4)", "(2, 5)"], ["1 given", "2 given", "3 given"]])
def test_what_grows_from_one_to_the_next(texts: list[str]) -> None:
    found = compiles(*texts)
    assert growing(found) == [list(found)]


@pytest.mark.parametrize(
    "texts",
    [
        ["f32[3]", "f32[4]"],
        ["f32[4]", "f32[3]", "f32[2]"],
        ["f32[3]", "f32[4]", "i32[5]"],
        ["f32[2,2]", "f32[3,3]", "f32[4,4]"],
        ["f32[]", "f32[1]", "f32[1,1]"],
    ],
    ids=["once", "shrinks", "another dtype", "in two axes", "another rank"],
)
def test_what_does_not(texts: list[str]) -> None:
    assert growing(compiles(*texts)) == []


def test_others_are_left_out() -> None:
    steps = [Cause(kind="shape", where="x", old=old, new=new) for old, new in (("f32[3]", "f32[4]"), ("f32[8]", "f32[9]"), ("f32[5]", "f32[6]"))]
    apart = capture(*[staged(at * MS, (at + 1) * MS, is_eager=True, cause=cause) for at, cause in enumerate(steps)]).compiles
    assert growing(apart) == [], "none begins where another one ended"
    assert growing(compiles("f32[3]", "f32[4]", "f32[5]", is_eager=False)) == []
    made = [Cause(kind="shape", where="shape", old=f"({at},)", new=f"({at + 1},)") for at in range(3)]
    anew = capture(*[staged(at * MS, (at + 1) * MS, is_eager=True, function="full", cause=cause) for at, cause in enumerate(made)]).compiles
    assert growing([*compiles("f32[3]", "f32[4]", "f32[5]"), *anew]) == [], "what is made anew at the line in each size"


def test_those_of_one_line_belong_together_in_order() -> None:
    a, b = compiles("f32[3]", "f32[4]", "f32[5]", function="a"), compiles("1 given", "2 given", "3 given", kind="pytree", function="b")
    other = compiles("f32[3]", "f32[4]", "f32[5]", site=site(9))
    assert growing([*a, *b, *other]) == [sorted([*a, *b], key=lambda one: one.start_ns), list(other)]
