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
        st.sampled_from(["while.1", "call", "dot", "add.2"]),
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
            leaves = [at for at in active if not runs[at].instruction.startswith(("while", "call"))]
            for at in leaves or active:
                expected[at] += 1 / len(leaves or active)
    np.testing.assert_allclose(shares(runs), expected, atol=1e-9)
    np.testing.assert_allclose(expected.sum(), busy_ns(runs), atol=1e-9)


def event(name: str, start_ns: float, duration_ns: float, **stats: Any) -> Any:
    return SimpleNamespace(name=name, start_ns=start_ns, duration_ns=duration_ns, stats=list(stats.items()))


def profile(*events: Any) -> Any:
    return SimpleNamespace(planes=[SimpleNamespace(name="/host:CPU", lines=[SimpleNamespace(name="thread", events=events)])])


def test_operations_are_found_among_the_other_events() -> None:
    dot = {"hlo_op": "dot.1", "hlo_module": "jit_step", "program_id": 4, "device_ordinal": 1, "_p": 7}
    made = profile(
        event("PjitFunction(step)", 0, 90),
        event("other", 0, 90, group=3, hlo_op="x"),
        event("dot.1", 10, 5, **dot),
        event("end: dot.1", 35, 1, _ct=0, _c=7),
        event("gpu", 50, 5, program_id=9, hlo_op="fusion", hlo_module="jit_f"),
    )
    assert recorded(made) == [Run("jit_step", 4, "dot.1", 10, 35, ("/host:CPU", 1)), Run("jit_f", 9, "fusion", 50, 55, HERE)]
    assert count(made) == 5
