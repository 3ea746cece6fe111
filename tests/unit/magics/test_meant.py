"""Which graphs and programs words mean; as a user types them `test_x10graph.py` has them."""

from typing import Any

import pytest

from factories import capture, graph, graphed, staged
from x10_jupyter.base.errors import UsageError
from x10_jupyter.magics.meant import Meant, both, chosen, meant, of_capture, shown_first
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.cuts import Cuts

MANY = capture(
    graphed(0),
    staged(10, 12, program="jit(step)"),
    staged(20, 25, program="jit(step).2"),
    staged(30, 31, function="sin", program="jit(sin)", is_eager=True),
    staged(40, 41, function="step.2", program="jit(step.2)"),
)


def named(found: tuple[Meant, ...]) -> list[str]:
    return [each.one.program if isinstance(each.one, Compile) else each.one.graph.id for each in found]


def test_graphs_come_first_and_operations_that_ran_at_once_last() -> None:
    found = of_capture(MANY)
    assert named(found) == ["1f", "jit(step)", "jit(step).2", "jit(step.2)", "jit(sin)"]
    assert named(shown_first(found)) == ["1f", "jit(step)", "jit(step).2", "jit(step.2)"]
    assert named(shown_first(found[4:])) == ["jit(sin)"]


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("1", ["1f"]),
        ("5", ["jit(sin)"]),
        ("1f", ["1f"]),
        ("jit(step).2", ["jit(step).2"]),
        ("step", ["jit(step)"]),
        ("sin", ["jit(sin)"]),
        ("6", []),
        ("other", []),
    ],
)
def test_one_is_chosen_by_number_name_or_id(which: str, expected: list[str]) -> None:
    assert named(chosen(of_capture(MANY), which)) == expected


def test_a_name_that_several_have_means_all_of_them() -> None:
    assert named(chosen(of_capture(MANY), "step.2")) == ["jit(step).2", "jit(step.2)"]
    assert named(chosen(of_capture(capture(*MANY.events[2:4])), "step")) == ["jit(step).2"]


def test_a_variable_that_holds_something_else_is_refused() -> None:
    with pytest.raises(UsageError, match="`x` is no capture, graph or text of a graph; got int"):
        meant("x", {"x": 5, "_x10": MANY})
    with pytest.raises(UsageError, match="There is no graph, program or variable `y`"):
        meant("y", {"_x10": MANY})


def test_two_graphs_need_one_level() -> None:
    trace = Meant(Cuts(graph=graph()))
    assert both(trace, trace, None) == (graph(), graph())


def test_a_text_is_never_looked_for_as_a_function() -> None:
    names: dict[str, Any] = {"logged": graph().to_text(), "_x10": MANY}
    (found,) = meant("logged", names)
    assert isinstance(found.one, Cuts)
