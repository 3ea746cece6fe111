"""The program for a trace that is cut."""

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.finding import STORE, Asked, find, known
from x10_jupyter.lazy.local import LOCAL


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
