"""Steps that differ only in what was pending before them, as beginners write them."""

from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, forget, run_cell
from x10_jupyter.lazy.causes import BEFORE, BODY_TOO, LEFT_OVER, MOVED, NOTHING, PENDING, UNSURE
from x10_jupyter.records.cause import Cause

SETUP = """
w = x10.numpy.zeros((8, 1))

def loss(w, x):
    return x10.numpy.mean((x10.numpy.matmul(x, w) - y) ** 2)
"""
GRADIENT = "    value, slope = x10.value_and_grad(loss)(w, x)\n"
UPDATE = "    w = w - 0.1 * slope\n"
LOOP = "for i in range(3):\n"
READ = "    float(value)\n"
BARRIER = "    x10.barrier()\n"


def names() -> dict[str, Any]:
    forget()
    return {"x10": x10, "x": x10.tensor(np.ones((4, 8), np.float32)), "y": x10.tensor(np.ones((4, 1), np.float32)), "__name__": "__main__"}


def found(*cells: str) -> list[Cause]:
    """The causes of what the last of some cells compiled, without what was compiled for the first time."""
    held = names()
    for cell in cells[:-1]:
        run_cell(cell, held)
    return [cause for cause in causes(lambda: run_cell(cells[-1], held)) if cause.kind != "first"]


@pytest.mark.parametrize(
    ("loop", "fix"),
    [
        (GRADIENT + UPDATE + READ, BEFORE.format(BODY_TOO)),
        (GRADIENT + UPDATE + BARRIER + READ, BEFORE.format("")),
        (GRADIENT + READ + UPDATE, LEFT_OVER.format("before the loop and ")),
        (GRADIENT + READ + UPDATE + BARRIER, BEFORE.format(BODY_TOO)),
        (GRADIENT + READ + UPDATE + "    float(w.sum())\n", BEFORE.format(BODY_TOO)),
    ],
    ids=["read at the end", "barrier", "read in the middle", "read in the middle, and a barrier", "two reads"],
)
@pytest.mark.parametrize("is_one_cell", [True, False])
def test_weights_that_are_made_in_the_first_step(loop: str, fix: str, is_one_cell: bool) -> None:
    cells = [SETUP + LOOP + loop] if is_one_cell else [SETUP, LOOP + loop]
    again = found(*cells)
    assert again, "the first step makes the weights, too"
    assert {(one.kind, one.where) for one in again} == {("structure", PENDING)}
    assert again[0].fix == fix
    assert again[0].old.startswith("`zeros` at ")
    assert "``" not in repr(again)


def test_with_barriers_where_the_advice_puts_them_nothing_is_compiled_again() -> None:
    for loop in (GRADIENT + UPDATE + READ, GRADIENT + UPDATE + BARRIER + READ):
        assert found(SETUP + "x10.barrier()\n" + LOOP + loop) == []
    assert found(SETUP + "x10.barrier()\n" + LOOP + GRADIENT + UPDATE + BARRIER + READ + "float(value)") == []


def test_a_state_that_is_made_anew_when_a_cell_runs_again() -> None:
    def init(w: Any) -> Any:
        return w * 0 + 1

    held = names()
    held["init"] = init
    run_cell(SETUP, held)
    cell = "m = x10.lazy(init)(w)\n" + LOOP + GRADIENT + "    w = w - slope * m\n" + READ
    run_cell(cell, held)
    (again,) = causes(lambda: run_cell(cell, held))
    assert (again.kind, again.old, again.fix) == ("structure", NOTHING, BEFORE.format(BODY_TOO))
    assert again.new.startswith("`init` at ")
    assert again.site is not None
    assert again.site.line == 1, "the line after which the barrier has to stand"


def test_all_steps_in_one_program_and_the_cell_run_again() -> None:
    cell = LOOP + GRADIENT + UPDATE + "float(value)\n"
    held = names()
    run_cell(SETUP, held)
    run_cell(cell, held)
    (again,) = causes(lambda: run_cell(cell, held))
    assert (again.where, again.new, again.fix) == (PENDING, NOTHING, BEFORE.format(BODY_TOO))


@pytest.mark.parametrize("more", ["", "    w = w * 1.0\n    slope = x10.grad(loss)(w, x)\n"], ids=["one gradient in each turn", "two"])
def test_more_steps_without_a_barrier_are_more_passes_whatever_cell_reads_at_their_end(more: str) -> None:
    body = GRADIENT + UPDATE + more
    (again,) = found(SETUP + "x10.barrier()\n", "for i in range(4):\n" + body + "float(value)\n", "\nfor i in range(6):\n" + body + "float(value)\n")
    assert (again.kind, again.old, again.new) == ("structure", "4 passes", "6 passes")
    assert again.where.startswith("the loop around ")
    assert "x10.barrier()" in again.fix


def test_a_read_that_is_put_into_a_loop_ends_the_step_there() -> None:
    held = names()
    loop = "    for i in range(4):\n        h = h * 2.0\n        if i == at:\n            float(h.sum())\n"
    run_cell("def step(x, at):\n    h = x * 1.0\n" + loop + "    x10.barrier()\n    return h\n", held)
    held["step"](held["x"], 9)
    again = causes(lambda: held["step"](held["x"], 1))
    assert again[0].kind == "cut_moved"
    assert again[0].where.startswith("float() at ")


def test_a_read_that_is_left_out_now_and_then() -> None:
    (again,) = found(SETUP + "x10.barrier()\nfor i in range(5):\n" + GRADIENT + UPDATE + "    if i % 2 == 0:\n        float(value)\n")
    assert again.where.startswith("the loop around ")
    assert again.fix.startswith("Put `x10.barrier()` at the end of the loop's body")


def test_what_is_left_out_of_a_step_itself_is_not_said_to_be_from_before_the_loop() -> None:
    cell = "for i in range(2):\n    h = x * 2.0 if i == 0 else x\n    h = x10.numpy.tanh(h @ v)\n    float(h.sum())\n"
    (again,) = found("v = x10.tensor([[1.0]] * 8)\nx10.barrier()", cell)
    assert again.kind != "cut_moved"
    assert again.fix in ("", UNSURE.format("`mul`"))


def test_a_read_at_another_place_is_told_where_to_put_a_barrier() -> None:
    held = names()
    source = "def step(x, reads):\n    h = x * 2.0\n    if reads:\n        float(h.sum())\n    g = x10.numpy.tanh(h) + 1\n    x10.barrier()\n    return g\n"
    run_cell(source, held)
    held["step"](held["x"], False)
    assert {cause.fix for cause in causes(lambda: held["step"](held["x"], True))} == {MOVED}
