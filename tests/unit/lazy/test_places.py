"""Numbers: which are parameters of a program, and what it costs when they change."""

import math
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, run_cell
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.op import MOST_PLACES, note


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def inputs_of_the_last_program() -> int:
    """Parameters that are numbers."""
    executable = STORE.all()[0]
    state, live = executable.bindings()[0]
    assert state.programs is not None
    return len(state.programs[live].params)


def test_a_literal_at_an_operator_is_baked_in() -> None:
    y = ones(2) * 2.0 + 1
    x10.barrier()
    assert y.shape == (2,)
    assert inputs_of_the_last_program() == 0


def test_a_variable_is_a_parameter_from_the_start() -> None:
    x, rate = ones(2), 0.1

    def step() -> float:
        return float((x * rate)[0])

    assert len(compiles(step)) == 1
    for rate in (0.2, 0.3, 7.0, -1.0):
        assert compiles(step) == []
        assert step() == pytest.approx(rate)


def test_an_argument_of_a_function_is_a_parameter_from_the_start() -> None:
    x = ones(2)

    def step(low: float) -> float:
        return float(x10.numpy.maximum(x, low)[0])

    assert len(compiles(lambda: step(2.0))) == 1
    assert compiles(lambda: step(3.0)) == []
    assert step(4.0) == 4.0


def edited(values: list[float]) -> list[int]:
    """Compiles of a cell with two literals, run once with each value of the first."""
    names: dict[str, Any] = {"x": ones(2)}
    found = []
    for value in values:
        found.append(len(compiles(lambda v=value: run_cell(f"y = float((x * {v!r} + 10.0)[0])", names))))
        assert names["y"] == value + 10
    return found


def test_a_literal_that_changes_becomes_a_parameter() -> None:
    assert edited([1.5, 1.5, 2.5, 3.5, 4.5]) == [1, 0, 1, 0, 0]


def test_at_the_second_change_all_literals_of_the_trace_become_parameters() -> None:
    names: dict[str, Any] = {"x": ones(2)}

    def run(a: float, b: float, c: float) -> int:
        found = len(compiles(lambda: run_cell(f"y = float((x * {a!r} + {b!r} - {c!r})[0])", names)))
        assert names["y"] == pytest.approx(a + b - c)
        return found

    assert [run(1.5, 2.5, 3.5), run(9.5, 2.5, 3.5), run(9.5, 8.5, 3.5), run(9.5, 8.5, 7.5), run(1.0, 2.0, 3.0)] == [1, 1, 1, 0, 0]


def test_the_cause_of_a_changed_literal_names_both_values() -> None:
    names: dict[str, Any] = {"x": ones(2)}
    source = "def step():\n    return float((x * {})[0])\ny = step()"
    run_cell(source.format(2.5), names)
    (cause,) = causes(lambda: run_cell(source.format(3.5), names))
    assert (cause.kind, cause.old, cause.new) == ("constant", "2.5", "3.5")


def test_a_changing_learning_rate_costs_one_compile() -> None:
    w = ones(4)

    def train() -> None:
        nonlocal w
        rate = 0.1
        for i in range(30):
            loss = lambda v: (v * v).sum()  # noqa: E731
            w = w - rate * x10.grad(loss)(w)
            rate = 0.1 / (i + 1)
            x10.barrier()

    assert len(compiles(train)) == 1


def test_a_place_has_one_parameter_while_it_shows_one_value_at_all_passes() -> None:
    x = ones(2)

    def step(scale: float) -> float:
        y = x
        for _ in range(5):
            y = y * scale
        return float(y[0])

    assert len(compiles(lambda: step(2.0))) == 1
    assert inputs_of_the_last_program() == 1
    assert compiles(lambda: step(3.0)) == []
    assert step(2.0) == 32.0


def test_a_place_that_shows_two_values_is_split_at_the_cost_of_one_compile() -> None:
    x = ones(2)

    def step(*scales: float) -> float:
        y = x
        for scale in scales:
            y = y * scale
        return float(y[0])

    made = [len(compiles(lambda s=s: step(*s))) for s in [(2.0, 2.0), (2.0, 3.0), (5.0, 7.0), (4.0, 4.0), (2.0, 2.0)]]
    assert made == [1, 1, 0, 0, 0]
    assert [step(2.0, 3.0), step(5.0, 7.0), step(4.0, 4.0)] == [6.0, 35.0, 16.0]
    assert inputs_of_the_last_program() == 2


def test_two_places_that_happen_to_be_equal_may_part_for_nothing() -> None:
    x = ones(2)

    def step(a: float, b: float) -> float:
        return float((x * a + b)[0])

    assert len(compiles(lambda: step(2.0, 2.0))) == 1
    assert compiles(lambda: step(2.0, 3.0)) == []
    assert step(4.0, 5.0) == 9.0


@pytest.mark.parametrize("value", [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324])
def test_zeros_nans_and_infinities_keep_their_bits(value: float) -> None:
    x = ones(2)

    def baked(v: float) -> np.ndarray:
        names: dict[str, Any] = {"x": x, "nan": math.nan, "inf": math.inf}
        run_cell(f"import numpy\ny = numpy.asarray(x * {v!r})", names)
        return names["y"]

    def parameter(v: float) -> np.ndarray:
        return np.asarray(x * v)

    for make in (baked, parameter):
        for first in (1.0, 0.0):
            make(first)
            want = np.asarray(x.data * value)
            got = make(value)
            assert got.tobytes() == want.tobytes()


def test_a_nan_that_is_baked_in_is_found_again() -> None:
    names: dict[str, Any] = {"x": ones(2)}
    cell = "y = float((x * (1e400 - 1e400))[0])"  # folded to a literal nan, a new object each time
    run_cell(cell, names)
    assert compiles(lambda: run_cell(cell, names)) == []


def test_places_are_bounded() -> None:
    known: dict[tuple[int, Line], None] = {}
    for i in range(MOST_PLACES + 10):
        note(known, (0, Line("a cell", i, "step")))
    assert len(known) == MOST_PLACES
    assert [(0, Line("a cell", i, "step")) in known for i in (9, 10)] == [False, True]


def test_without_special_scalars_no_literal_is_baked_in_and_no_change_compiles() -> None:
    assert sum(edited([2.0, 3.0, 0.0, 1.0])) > 1
    with x10.config(XLA_NO_SPECIAL_SCALARS=True):
        assert edited([2.0, 3.0, 0.0, 1.0, -1.0]) == [1, 0, 0, 0, 0]
        assert inputs_of_the_last_program() == 3  # the index, too


def test_without_special_scalars_numbers_that_become_equal_and_part_compile_nothing() -> None:
    x = ones(3)

    def product(values: list[float]) -> float:
        y = x
        for v in values:
            y = y * v
        return float(y[0])

    apart = [[3.0, 3.0], [3.0, 4.0], [1.0, 1.0]]
    assert len(compiles(lambda: [product(each) for each in apart])) == 2
    with x10.config(XLA_NO_SPECIAL_SCALARS=True):
        assert [c.kind for c in causes(lambda: [product(each) for each in apart])] == ["config"]
        assert [product(each) for each in apart] == [9, 12, 1]
    assert compiles(lambda: product([3.0, 3.0])) == []


def test_what_a_function_has_to_know_is_no_parameter_without_special_scalars_either() -> None:
    x = ones(2) * 3
    with x10.config(XLA_NO_SPECIAL_SCALARS=True):
        assert [float((x**p)[0]) for p in (2, 3)] == [9, 27]
