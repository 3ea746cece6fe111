"""A step as a reader finds it: what lies in the window, with parts that sum to it, and whether it stands out."""

from itertools import pairwise
from statistics import median_high

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import MAIN, MS, compiled, site, stepped, traced
from x10_jupyter.records.accounting import TIME_NAMES, timeline
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.step import Steps
from x10_jupyter.records.sweep import Timeline


def window(*events: Event, start_ms: int = 0, end_ms: int = 100) -> Timeline:
    return timeline(Kinds(events), thread=MAIN, start_ns=start_ms * MS, body_end_ns=end_ms * MS, end_ns=end_ms * MS)


def lasting(*walls_ns: int, events: tuple[Event, ...] = ()) -> Steps:
    """Steps one after the other."""
    starts = [sum(walls_ns[:which]) for which in range(len(walls_ns) + 1)]
    made = [stepped(start, end, which) for which, (start, end) in enumerate(pairwise(starts))]
    return Steps(made, timeline(Kinds(events), thread=MAIN, start_ns=0, body_end_ns=starts[-1], end_ns=starts[-1]))


def test_its_parts_sum_to_its_time() -> None:
    around = window(traced(10 * MS, 30 * MS), compiled(30 * MS, 50 * MS, phases={"lower": 5 * MS}))
    (made,) = Steps([stepped(10 * MS, 60 * MS, index=3)], around)
    assert (made.index, made.start_ns, made.wall_ns, made.site) == (3, 10 * MS, 50 * MS, site(8))
    assert {name: ns // MS for name, ns in made.parts.items() if ns} == {"trace": 20, "lower": 5, "compile": 15, "python": 10}
    assert list(made.parts) == list(TIME_NAMES)
    assert (made.label, made.is_spike) == ("trace", False)


@pytest.mark.parametrize(("start_ms", "end_ms", "wall_ms"), [(0, 100, 50), (20, 100, 40), (0, 40, 30), (20, 40, 20), (60, 100, 0), (0, 10, 0), (70, 90, 0)])
def test_only_what_lies_in_the_window_counts(start_ms: int, end_ms: int, wall_ms: int) -> None:
    (made,) = Steps([stepped(10 * MS, 60 * MS)], window(start_ms=start_ms, end_ms=end_ms))
    assert made.wall_ns == sum(made.parts.values()) == wall_ms * MS


def test_no_steps() -> None:
    assert list(Steps([], window())) == []


def test_they_are_a_sequence_that_is_equal_to_the_same_steps() -> None:
    steps = lasting(5 * MS, MS, 2 * MS)
    assert [step.wall_ns for step in steps[1:]] == [MS, 2 * MS]
    assert steps[-1] == list(steps)[2]
    assert steps == lasting(5 * MS, MS, 2 * MS)
    assert steps != lasting(5 * MS, MS)
    assert (steps.walls_ns, steps.total_ns("python", "trace")) == ([5 * MS, MS, 2 * MS], 8 * MS)
    assert repr(steps).startswith("Steps([Step(index=0,")


@given(st.lists(st.integers(0, 20 * MS), min_size=1, max_size=12))
def test_a_spike_is_far_above_the_middle_step_and_above_what_is_usual(walls: list[int]) -> None:
    usual = median_high(walls)
    reach = sorted(walls)[int(0.8 * (len(walls) - 1) + 1e-9)]
    least = max(2 * usual, usual + MS, usual + 3 * (reach - usual))
    assert [step.is_spike for step in lasting(*walls)] == [wall >= least for wall in walls]


def test_a_first_step_that_compiles_is_a_spike_also_in_a_short_loop() -> None:
    assert [step.is_spike for step in lasting(90 * MS, MS, MS)] == [True, False, False]


def test_what_a_third_of_the_steps_take_is_no_spike() -> None:
    assert not any(step.is_spike for step in lasting(*[9 * MS, 2 * MS, 2 * MS] * 10))


def test_a_spike_is_what_there_is_more_of_than_usual() -> None:
    """Each step traces for 4 ms; the last compiles for 3 ms as well, and those are what makes it long."""
    traces = [traced(start * MS, (start + 4) * MS) for start in (0, 5, 10, 15)]
    steps = lasting(5 * MS, 5 * MS, 5 * MS, 10 * MS, events=(*traces, compiled(19 * MS, 22 * MS)))
    assert [(step.is_spike, step.label) for step in steps] == [(False, "trace")] * 3 + [(True, "compile")]
