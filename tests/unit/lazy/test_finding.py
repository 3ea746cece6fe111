"""The program for a trace that is cut."""

from typing import Any

import numpy as np

import x10_jupyter as x10
from runtime import compiles
from x10_jupyter.lazy.finding import STORE, Asked, find, known
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.runtime_events import Compiled, Compiling
from x10_jupyter.records.sink import ListSink


def test_a_place_knows_its_program_and_serves_fewer_values_with_it() -> None:
    x = x10.tensor(np.ones(2, np.float32))
    made = [x + 1, x * 2]
    state = LOCAL.trace.state
    assert known(state, (0, 1)) is None
    x10.barrier()
    program = known(state, (0, 1))
    assert program is not None
    assert known(state, (1,)) is known(state, (0,)) is program
    assert known(state, (0, 1, 2)) is None
    assert [np.asarray(t).tolist() for t in made] == [[2, 2], [2, 2]]


def test_where_nothing_is_to_be_computed_there_is_no_program() -> None:
    x = x10.tensor(np.ones(2, np.float32))
    x + 1
    trace = LOCAL.trace
    assert find(trace, (), Asked("barrier", "barrier()")) is None
    assert len(STORE) == 0
    trace.restart()


def test_who_asks_is_told_by_the_users_line() -> None:
    asked = Asked("read", "float()")
    assert (asked.line.file, asked.line.function) == (__file__, "test_who_asks_is_told_by_the_users_line")


def test_that_a_compile_begins_is_told_before_it_ends() -> None:
    sink = ListSink()
    EVENTS.add(sink, ["begun"])
    try:
        x = x10.tensor(np.ones(5, np.float32))
        for _ in range(2):
            y = x * 3.0
            x10.barrier()
            del y
    finally:
        EVENTS.remove(sink)
    begun, done = [event for event in sink.events if isinstance(event, Compiling | Compiled)]
    assert isinstance(begun, Compiling)
    assert isinstance(done, Compiled)
    assert (begun.program, begun.function, begun.ops, begun.cause) == (done.program, done.function, done.ops, done.cause)
    assert (begun.start_ns, begun.end_ns, begun.thread, begun.site) == (done.start_ns, done.start_ns, done.thread, done.site)


def large() -> x10.Tensor:
    return x10.tensor(np.full((128, 128), 4, np.float32))


def test_a_program_that_overwrites_its_input_is_found_on_another_path_though_the_input_is_held() -> None:
    def step(w: Any) -> Any:
        w = w - w * w
        x10.barrier()
        return w

    assert len(compiles(lambda: step(step(large())))) == 1
    held = large()
    made: list[Any] = []

    def other() -> None:
        held * 3.0  # nothing depends on it, but the path is another one
        made.append(step(held))

    assert compiles(other) == []
    assert [float(np.asarray(t)[0, 0]) for t in (held, made[0])] == [4, -12]


def test_one_that_overwrites_nothing_is_found_though_it_might() -> None:
    def step(box: list[Any]) -> None:
        w = box.pop()
        box.append(w - w * w)
        del w
        x10.barrier()

    with x10.config(donate=False):
        step([large()])
    box = [large() * 1.0]
    x10.barrier()

    def other() -> None:
        box[0] * 3.0
        step(box)

    assert compiles(other) == []
    assert float(np.asarray(box[0])[0, 0]) == -12


def test_one_with_a_parameter_for_a_number_is_found_where_the_number_is_a_literal() -> None:
    """The first place of a step was noted by other code, so that its numbers are parameters; behind other operations they are literals again."""
    x = x10.tensor(np.ones(2, np.float32))

    def before() -> None:
        y = x * 7.0
        x10.barrier()
        del y

    def step() -> Any:
        y = x * 0.5
        z = x - y
        x10.barrier()
        return z

    before()
    step()
    made: list[Any] = []

    def other() -> None:
        x + 1.0
        made.append(step())

    assert compiles(other) == []
    assert np.asarray(made[0]).tolist() == [0.5, 0.5]
