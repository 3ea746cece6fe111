"""A step as a reader finds it: what lies in the window, with parts that sum to it."""

import pytest

from factories import MAIN, MS, compiled, site, stepped, traced
from x10_jupyter.records.accounting import TIME_NAMES, timeline
from x10_jupyter.records.events import Event
from x10_jupyter.records.step import from_event
from x10_jupyter.records.sweep import Timeline


def window(*events: Event, start_ms: int = 0, end_ms: int = 100) -> Timeline:
    return timeline(events, thread=MAIN, start_ns=start_ms * MS, body_end_ns=end_ms * MS, end_ns=end_ms * MS)


def test_its_parts_sum_to_its_time() -> None:
    made = from_event(stepped(10 * MS, 60 * MS, index=3), window(traced(10 * MS, 30 * MS), compiled(30 * MS, 50 * MS, phases={"lower": 5 * MS})))
    assert (made.index, made.start_ns, made.wall_ns, made.site) == (3, 10 * MS, 50 * MS, site(8))
    assert {name: ns // MS for name, ns in made.parts.items() if ns} == {"trace": 20, "lower": 5, "compile": 15, "python": 10}
    assert list(made.parts) == list(TIME_NAMES)


@pytest.mark.parametrize(("start_ms", "end_ms", "wall_ms"), [(0, 100, 50), (20, 100, 40), (0, 40, 30), (20, 40, 20), (60, 100, 0), (0, 10, 0), (70, 90, 0)])
def test_only_what_lies_in_the_window_counts(start_ms: int, end_ms: int, wall_ms: int) -> None:
    made = from_event(stepped(10 * MS, 60 * MS), window(start_ms=start_ms, end_ms=end_ms))
    assert made.wall_ns == sum(made.parts.values()) == wall_ms * MS
