import gc
import weakref
from typing import Any

import numpy as np

import x10_jupyter as x10
from runtime import causes
from x10_jupyter.lazy.donation import Choice
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.graph import canonical, path_to
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.places import grouped, places_of
from x10_jupyter.lazy.program import MOST_CUT_LINES, Executable, Program, Store, body
from x10_jupyter.lazy.trie import State

HERE = Line(__file__, 1, "here")


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def program_of(live: list[Any]) -> Program:
    """The program of this thread's trace, not compiled; the trace is forgotten."""
    trace = LOCAL.trace
    steps = path_to(trace.state)
    numbers = {i: trace.numbers[i] for i in range(len(places_of(steps)))}
    groups = grouped(places_of(steps), numbers)
    graph = canonical(steps, sorted({t.ref for t in live}), numbers, groups)
    executable = Executable("step_1", graph, body(graph, "step_1"))
    made = Program(executable, graph, numbers, [i for i in numbers if i not in groups], HERE, trace.state, Choice({}, trace.leaves, ()), {})
    trace.restart()
    return made


def executable(count: int) -> Executable:
    """An executable of its own for each count."""
    x = y = ones(1)
    for _ in range(count):
        y = y + x
    return program_of([y]).executable


def test_a_program_is_given_the_leaves_and_numbers_it_needs() -> None:
    unused, x, y, rate = ones(3), ones(2), ones(2), 0.25
    a = unused + 1
    program = program_of([(y - x) * rate])
    given = program.arguments(["unused", "y", "x"], {0: 1, 1: 0.5})
    assert a.shape == (3,)
    assert given == ["y", "x", 0.5]
    assert (type(given[2]), program.wanted) == (np.float32, (2,))


def test_the_body_of_a_program_computes_its_values() -> None:
    x, rate = ones(2), 3.0
    program = program_of([x * rate + 0.5])
    values, token = program.executable.run(np.array([1, 2], np.float32), np.float32(3))
    assert [np.asarray(v).tolist() for v in values] == [[3.5, 6.5]]
    assert (token.shape, str(token.dtype)) == ((), "bool")


def test_numbers_that_were_baked_in_have_to_be_the_same_to_the_bit() -> None:
    program = program_of([ones(2) * 0.0 + 2])
    assert program.baked == [0, 1]
    fits = [program.fits(numbers) for numbers in ({0: 0.0, 1: 2}, {0: -0.0, 1: 2}, {0: 0.0, 1: 3}, {0: float("0"), 1: int("2")}, {0: 0.0, 1: 2.0})]
    assert fits == [True, False, False, True, False]


def test_numbers_that_share_a_parameter_have_to_be_equal() -> None:
    y, rate = ones(2), 0.5
    for _ in range(3):
        y = y * rate
    program = program_of([y])
    assert program.parted({0: 7.0, 1: 7.0, 2: float("7")}) == []
    assert program.parted({0: 7.0, 1: 7.0, 2: 8.0}) == [(2, 0)]
    assert program.parted({0: 0.0, 1: -0.0, 2: 0.0}) == [(1, 0)]


def test_a_program_knows_where_its_values_come_from() -> None:
    program = program_of([ones(2) + 1])
    (origin,) = program.origins
    assert (origin.op, origin.cut_line) == ("add", HERE)
    assert origin.line is not None
    assert origin.line.function == "test_a_program_knows_where_its_values_come_from"


def test_a_place_is_new_once() -> None:
    program = program_of([ones(2) + 1])
    there = Line(__file__, 2, "there")
    assert [program.is_new_at(line) for line in (HERE, there, there, HERE)] == [False, True, False, False]
    for i in range(10 * MOST_CUT_LINES):
        assert program.is_new_at(Line(f"cell {i}", 1, "<module>"))
    assert len(program.cut_lines) <= MOST_CUT_LINES


def test_the_program_used_last_stays() -> None:
    store = Store(2)
    a, b, c = [executable(i) for i in (1, 2, 3)]
    store.add(a)
    store.add(b)
    store.use(a)
    store.add(c)
    assert store.all() == [c, a]
    assert (a.runs, len(store)) == (1, 2)


def test_a_program_that_had_to_go_is_forgotten_where_it_was_known() -> None:
    store = Store(1)
    a, b = executable(1), executable(2)
    state = State(None, None, None, None)
    state.programs = {(0,): "a", (1,): "another"}
    a.bind(state, (0,))
    store.add(a)
    store.add(b)
    assert state.programs == {(1,): "another"}


def test_a_program_that_runs_while_it_is_evicted_is_kept_again() -> None:
    store = Store(1)
    a, b = executable(1), executable(2)
    store.add(a)
    store.add(b)
    store.use(a)
    assert store.all() == [a]


def test_an_executable_keeps_no_place_of_the_trie_alive() -> None:
    a, state = executable(1), State(None, None, None, None)
    alive = weakref.ref(state)
    a.bind(state, (0,))
    assert a.bindings() == [(state, (0,))]
    del state
    gc.collect()
    assert alive() is None
    assert a.bindings() == []


def test_clearing_forgets_everything() -> None:
    y = ones(2) + 1
    x10.barrier()
    assert y.held is not None
    (known,) = STORE.all()
    ((state, live),) = known.bindings()
    STORE.clear()
    assert len(STORE) == 0
    assert live not in (state.programs or {})


def test_fewer_programs_are_kept_at_once_when_told_so() -> None:
    x = x10.tensor(np.ones(2, np.float32))

    def step(i: int) -> None:
        y = x.reshape(2, 1) if i == 0 else x.repeat(i)
        x10.barrier()
        del y

    for i in range(5):
        step(i)
    with x10.config(compilation_cache_size=2):
        assert len(STORE) == 2
        assert causes(lambda: step(4)) == []
        [cause] = causes(lambda: step(1))
        assert (cause.kind, cause.old) == ("evicted", "room for 2 programs")
    for i in range(5):
        step(i)
    assert len(STORE) == 5
