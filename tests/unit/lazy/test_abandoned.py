"""What only a traceback refers to is not worth a compile; what anything else refers to is computed as ever."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles
from x10_jupyter.base.errors import LostValueError
from x10_jupyter.lazy.abandoned import abandoned, frames_of
from x10_jupyter.lazy.local import LOCAL

KEPT: list[Any] = []


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    KEPT.clear()


def ones() -> x10.Tensor:
    return x10.tensor(np.ones(2, np.float32))


def gives_up(step: Callable[[Any], Any], x: Any) -> None:
    """Run a step that fails, as a cell of a notebook does: the error stays."""
    try:
        step(x)
    except ZeroDivisionError as error:
        sys.last_value = error


def named(x: Any) -> None:
    y = x * 3
    raise ZeroDivisionError(y.shape)


def contained(x: Any) -> None:
    y = {"grads": [x * 3, (x * 4, x * 5)]}
    raise ZeroDivisionError(len(y))


def closed_over(x: Any) -> Any:
    y = x * 3

    def inner() -> Any:
        return y, 1 / 0

    return inner()


def chained(x: Any) -> None:
    try:
        named(x)
    except ZeroDivisionError:
        contained(x)


def frames() -> list[FrameType]:
    return list(frames_of(sys.last_value))


def count() -> int:
    """How many of the trace's values are abandoned."""
    tensors = LOCAL.trace.tensors
    return len(abandoned(tensors, range(len(tensors))))


@pytest.mark.parametrize(("step", "values"), [(named, 1), (contained, 3), (closed_over, 1), (chained, 4)])
def test_values_in_the_frames_of_the_last_error(step: Callable[[Any], Any], values: int) -> None:
    gives_up(step, ones())
    assert count() == values


def kept(x: Any) -> None:
    y = [x * 3]
    KEPT.append(y)
    raise ZeroDivisionError


def kept_twice(x: Any) -> None:
    y = x * 3
    z = (y, y)
    KEPT.append(z)
    raise ZeroDivisionError


@pytest.mark.parametrize("step", [kept, kept_twice])
def test_what_something_else_refers_to_is_none_of_them(step: Callable[[Any], Any]) -> None:
    gives_up(step, ones())
    assert count() == 0


def test_a_value_that_a_running_function_was_given_is_none_of_them() -> None:
    x = ones()
    y = x * 3
    gives_up(lambda v: named(v), y)
    assert count() == 1  # that of `named`; `y` is ours
    assert np.asarray(y).tolist() == [3, 3]


def test_the_next_step_is_the_known_program() -> None:
    def step(w: Any, *, fail: bool = False) -> Any:
        slope = w * w
        if fail:
            raise ZeroDivisionError
        return w - 0.5 * slope

    def train(w: Any) -> Any:
        w = step(w)
        x10.barrier()
        return w

    w = train(ones() * 4)
    w = train(w)
    before = float(w[0])
    gives_up(lambda v: step(v, fail=True), w)
    made: list[Any] = []
    assert compiles(lambda: made.append(train(w))) == []
    assert np.asarray(made[0]).tolist() == [before - 0.5 * before**2] * 2
    slope = frames()[-1].f_locals["slope"]
    with pytest.raises(LostValueError, match="was given up, since only the traceback of an error referred to its value; it was to be computed by `mul` at"):
        np.asarray(slope)


def test_they_are_computed_if_they_are_read_first() -> None:
    gives_up(named, ones())
    assert np.asarray(frames()[-1].f_locals["y"]).tolist() == [3, 3]


def test_a_barrier_after_the_error_has_nothing_to_do() -> None:
    gives_up(named, ones())
    assert compiles(x10.barrier) == []
