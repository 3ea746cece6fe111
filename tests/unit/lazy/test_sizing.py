"""What is told of a large trace before it is compiled."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.runtime_events import Compiled
from x10_jupyter.records.sink import ListSink
from x10_jupyter.records.size import TOLD_RECORDED


@pytest.fixture
def sink() -> Iterator[ListSink]:
    told = ListSink()
    EVENTS.add(told)
    yield told
    EVENTS.remove(told)


def chain(length: int) -> None:
    x: Any = x10.tensor(np.ones(3, np.float32))
    for _ in range(length):
        x = x10.numpy.sinh(x)
    x10.barrier()
    del x


class Model:
    """Layers, which are written as a loop."""

    def __init__(self, layers: int) -> None:
        self.weights: Any = [x10.tensor(np.full((4, 4), 0.5, np.float32)) for _ in range(layers)]
        self.x: Any = x10.tensor(np.ones((2, 4), np.float32))

    def loss(self, weights: Any) -> Any:
        y = self.x
        for w in weights:
            y = x10.numpy.tanh(y @ w)
        return x10.numpy.sum(y)

    def step(self) -> Any:
        slopes = x10.grad(self.loss)(self.weights)
        self.weights = [w - 0.125 * slope for w, slope in zip(self.weights, slopes, strict=True)]


def line_in(function: Any, after: int) -> int:
    return function.__code__.co_firstlineno + after


def passes(event: Sized) -> dict[int | None, tuple[int, int]]:
    """Operations and passes by line."""
    return {line.site and line.site.line: (line.ops, line.passes) for line in event.lines}


def told(sink: ListSink) -> list[Sized]:
    return [event for event in sink.events if isinstance(event, Sized)]


def test_a_large_trace_is_told_with_its_lines_before_it_is_compiled_and_once(sink: ListSink) -> None:
    chain(TOLD_RECORDED)
    chain(TOLD_RECORDED)
    (event,) = told(sink)
    assert (event.function, event.ops, event.baked) == ("chain", TOLD_RECORDED, ())
    assert [(line.site and line.site.line, line.ops, line.passes) for line in event.lines] == [
        (chain.__code__.co_firstlineno + 3, TOLD_RECORDED, TOLD_RECORDED)
    ]
    kinds = [type(each) for each in sink.events]
    assert kinds.index(Sized) < kinds.index(Compiled)
    (compiled,) = [each for each in sink.events if isinstance(each, Compiled)]
    assert compiled.start_ns <= event.start_ns <= compiled.end_ns
    assert compiled.function == event.function


def test_a_small_one_is_not(sink: ListSink) -> None:
    chain(TOLD_RECORDED - 2)
    assert told(sink) == []


def test_of_one_gradient_the_way_back_counts_at_the_layers_and_what_comes_for_each_parameter_is_no_loop(sink: ListSink) -> None:
    model = Model(20)
    model.step()
    x10.barrier()
    (event,) = told(sink)
    found = passes(event)
    assert found[line_in(Model.loss, 3)] == (4 * 20, 20), "forward and backward of two operations"
    assert found[line_in(Model.step, 2)] == (2 * 20, 1), "the update of each parameter"
    assert found[line_in(Model.step, 1)] == (1, 1), "what going back begins with"
    assert event.gradients == 1
    assert event.gradient_site is not None and event.gradient_site.line == line_in(Model.step, 1)
    assert event.ops == sum(ops for ops, _ in found.values())


def test_steps_without_a_barrier_have_a_gradient_each(sink: ListSink) -> None:
    model = Model(2)
    for _ in range(18):
        model.step()
    x10.barrier()
    (event,) = told(sink)
    assert event.gradients == 18
    assert passes(event)[line_in(Model.step, 2)] == (2 * 2 * 18, 18)
    assert passes(event)[line_in(Model.loss, 3)] == (4 * 2 * 18, 36)


def test_operations_of_different_lines_are_not_added_up_on_the_way_back(sink: ListSink) -> None:
    def loss(w: Any) -> Any:
        for _ in range(6):
            w = x10.numpy.sinh(w)
            w = x10.numpy.sinh(w)
            w = x10.numpy.sinh(w)
            w = x10.numpy.sinh(w)
            w = x10.numpy.sinh(w)
            w = x10.numpy.sinh(w)
        return x10.numpy.sum(w)

    kept = x10.grad(loss)(x10.tensor(np.ones(3, np.float32)))
    x10.barrier()
    (event,) = told(sink)
    assert max(turns for _, turns in passes(event).values()) == 6
    del kept


def test_gradients_of_one_value_are_added_up_at_the_line_that_uses_it(sink: ListSink) -> None:
    def loss(w: Any) -> Any:
        h = x10.numpy.ones((2, 4))
        for _ in range(30):
            h = x10.numpy.tanh(h @ w)
        return x10.numpy.sum(h)

    kept = x10.grad(loss)(x10.tensor(np.ones((4, 4), np.float32)))
    x10.barrier()
    (event,) = told(sink)
    ops, turns = passes(event)[line_in(loss, 3)]
    assert (ops, turns) == (4 * 30 + 29, 30), "the first step has no gradient of its own for what it begins with"
    del kept


def test_a_gradient_within_another_is_not_counted(sink: ListSink) -> None:
    def inner(w: Any) -> Any:
        return x10.numpy.sum(x10.numpy.tanh(w) ** 2)

    def outer(w: Any) -> Any:
        for _ in range(20):
            w = w - 0.125 * x10.grad(inner)(w)
        return inner(w)

    kept = x10.grad(outer)(x10.tensor(np.ones(3, np.float32)))
    x10.barrier()
    (event,) = told(sink)
    assert event.gradients == 1
    assert event.gradient_site is not None and event.gradient_site.function.endswith("not_counted")
    del kept


def test_a_gradient_that_is_cut_within_counts_too(sink: ListSink) -> None:
    def loss(w: Any) -> Any:
        for _ in range(TOLD_RECORDED):
            w = x10.numpy.sinh(w)
        value = x10.numpy.sum(w)
        float(value)
        return value

    kept = x10.grad(loss)(x10.tensor(np.zeros(3, np.float32)))
    x10.barrier()
    forward, back = told(sink)
    assert (forward.gradients, forward.gradient_site, forward.gradients_there) == (1, None, 0)
    assert back.gradients == 1
    assert passes(back)[None] == (TOLD_RECORDED + 1, TOLD_RECORDED), "the lines belong to the trace before"
    del kept


def test_without_gradients_each_operation_is_a_pass(sink: ListSink) -> None:
    chain(TOLD_RECORDED)
    assert [(event.gradients, event.gradient_site) for event in told(sink)] == [(0, None)]
