from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.observe.ran import Run, busy_ns, count, recorded, shares

HERE = ("/host:CPU", 0)


def run(name: str, start: float, end: float, device: tuple[str, int] = HERE) -> Run:
    return Run("jit_step", 4, name, start, end, device)


def test_what_runs_others_gets_what_is_left() -> None:
    found = shares([run("while.1", 0, 100), run("dot", 10, 40), run("add", 50, 90)])
    assert found.tolist() == [30, 30, 40]


def test_what_runs_at_once_has_equal_parts() -> None:
    assert shares([run("dot", 0, 100), run("sort", 50, 150)]).tolist() == [75, 75]


def test_devices_do_not_share() -> None:
    assert shares([run("dot", 0, 100), run("dot", 0, 100, ("/host:CPU", 1))]).tolist() == [100, 100]


def test_nothing_ran() -> None:
    assert shares([]).tolist() == []
    assert busy_ns([]) == 0


RUNS = st.lists(
    st.builds(
        lambda name, start, length, device: run(name, start, start + length, ("cpu", device)),
        st.sampled_from(["while.1", "call", "dot", "while_add_fusion"]),
        st.integers(0, 50),
        st.integers(0, 30),
        st.integers(0, 1),
    ),
    max_size=12,
)


@given(RUNS)
def test_parts_are_those_of_each_moment_and_add_up_to_the_busy_time(runs: list[Run]) -> None:
    expected = np.zeros(len(runs))
    for moment in range(100):
        for device in (("cpu", 0), ("cpu", 1)):
            active = [at for at, one in enumerate(runs) if one.device == device and one.start_ns <= moment < one.end_ns]
            leaves = [at for at in active if runs[at].instruction not in {"while.1", "call"}]
            for at in leaves or active:
                expected[at] += 1 / len(leaves or active)
    np.testing.assert_allclose(shares(runs), expected, atol=1e-9)
    np.testing.assert_allclose(expected.sum(), busy_ns(runs), atol=1e-9)


def event(name: str, start_ns: float, duration_ns: float, **stats: Any) -> Any:
    return SimpleNamespace(name=name, start_ns=start_ns, duration_ns=duration_ns, stats=list(stats.items()))


def profile(*events: Any, other: tuple[Any, ...] = ()) -> Any:
    """What happened on one thread, and on another."""
    lines = [SimpleNamespace(name="thread", events=events), SimpleNamespace(name="other", events=other)]
    return SimpleNamespace(planes=[SimpleNamespace(name="/host:CPU", lines=lines)])


def test_operations_are_found_among_the_other_events() -> None:
    dot = {"hlo_op": "dot.1", "hlo_module": "jit_step", "program_id": 4, "device_ordinal": 1, "_p": 7}
    made = profile(
        event("PjitFunction(step)", 0, 90),
        event("other", 0, 90, group=3, hlo_op="x"),
        event("dot.1", 10, 5, **dot),
        event("end: dot.1", 35, 1, _ct=0, _c=7),
        event("Thunk::Execute", 60, 5, hlo_op="is not looked at"),
        event("gpu", 50, 5, program_id=9, hlo_op="fusion", hlo_module="jit_f"),
    )
    assert recorded(made) == [Run("jit_step", 4, "dot.1", 10, 35, ("/host:CPU", 1)), Run("jit_f", 9, "fusion", 50, 55, HERE)]
    assert count(made) == 6


def op(name: str, start_ns: float, duration_ns: float, number: int) -> Any:
    return event(name, start_ns, duration_ns, hlo_op=name, hlo_module="jit_step", program_id=4, _p=number)


def test_an_operation_that_another_thread_went_on_with_ends_there() -> None:
    made = profile(op("dot", 10, 5, 1), op("add", 20, 5, 2), other=(event("end: dot", 40, 1, _c=1),))
    assert [(one.instruction, one.end_ns) for one in recorded(made)] == [("dot", 40), ("add", 25)]


def test_what_waited_for_it_is_not_a_part_of_it_though_its_end_is_told_later() -> None:
    made = profile(op("sine", 10, 5, 1), other=(op("sort", 18, 100, 2), event("end: sort", 117, 1, _c=2), event("end: sine", 119, 1, _c=1)))
    assert [(one.instruction, one.start_ns, one.end_ns) for one in recorded(made)] == [("sine", 10, 18), ("sort", 18, 118)]


def test_what_runs_others_ends_when_that_is_told() -> None:
    made = profile(op("while.3", 10, 5, 1), other=(op("dot", 18, 20, 2), op("dot", 40, 20, 3), event("end: while.3", 61, 1, _c=1)))
    assert [(one.instruction, one.end_ns) for one in recorded(made)] == [("while.3", 61), ("dot", 38), ("dot", 60)]
