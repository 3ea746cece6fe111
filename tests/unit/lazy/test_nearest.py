"""The known trace that a new one is a version of: the nearest, and only if it is the same piece of code."""

from typing import Any

import numpy as np

import x10_jupyter as x10
from runtime import compiles, run_cell
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.nearest import FAR, candidates, common, distance, nearest

CELL = "def step(x, w):\n    y = (x @ w) * 2.0\n    z = y.sum()\n    x10.barrier()\n    return z\n"


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def names() -> dict[str, Any]:
    made: dict[str, Any] = {"x10": x10}
    run_cell(CELL, made)
    return made


def test_it_is_the_one_that_differs_least() -> None:
    step = names()["step"]
    step(ones(8, 4), ones(4, 3))
    step(ones(5, 2), ones(2, 7))
    [event] = compiles(lambda: step(ones(6, 4), ones(4, 3)))
    first = compiles(lambda: step(ones(8, 4), ones(4, 3)))
    assert first == []
    assert (event.cause.old, event.cause.new) == ("f32[8,4]", "f32[6,4]")


def test_of_equally_near_ones_it_is_the_one_that_ran_most() -> None:
    step = names()["step"]
    for _ in range(3):
        step(ones(8, 4), ones(4, 3))
    step(ones(7, 4), ones(4, 3))
    [event] = compiles(lambda: step(ones(6, 4), ones(4, 3)))
    assert event.cause.old == "f32[8,4]"


def test_other_code_has_no_nearest() -> None:
    names()["step"](ones(8, 4), ones(4, 3))
    other: dict[str, Any] = {"x10": x10}
    run_cell("def other(x):\n    y = x10.numpy.cumsum(x)\n    x10.barrier()\n    return y\n", other)
    [event] = compiles(lambda: other["other"](ones(9)))
    assert (event.cause.kind, event.cause.nearest) == ("first", "")


def test_an_empty_store_has_none(trace: Trace) -> None:
    kept = ones(2) * 2.0
    assert trace.state.site is not None
    assert nearest(STORE, path_to(trace.state), trace.state.site, 0) is None
    assert list(candidates(STORE)) == []
    del kept


def test_common_and_distance(trace: Trace) -> None:
    def path(*factors: Any, shape: int = 2) -> list[Any]:
        trace.restart()
        x = ones(shape)
        for factor in factors:
            x = factor(x)
        found = [s for s in path_to(trace.state) if s.op is not None]
        trace.restart()
        return found

    def double(x: Any) -> Any:
        return x * 2.0

    one, same, longer = path(double, double), path(double, double), path(double, double, double)
    other, wider = path(double, x10.numpy.sin), path(double, double, shape=3)
    assert [common(one, p) for p in (same, longer, other, wider)] == [2, 2, 1, 0]
    assert distance(one, same) == 0
    assert distance(one, longer) == FAR
    assert distance(one, other) == FAR
    assert distance(one, wider) == 2, "one difference of shape at each operation"
