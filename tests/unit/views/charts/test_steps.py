import pytest

from captures import training
from factories import MS, capture, compiled, executed, stepped
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.charts.steps import MOST_BARS, steps
from x10_jupyter.views.theme import COLOURS


def uneven() -> Capture:
    """Twenty steps of 2 ms, but the eleventh has a compile of 30 ms."""
    events, at = [], 0
    for index in range(20):
        begin = at
        if index == 10:
            events.append(compiled(at, at + 30 * MS, phases={"compile": 30 * MS}))
            at += 30 * MS
        events.append(executed(at, at + 1 * MS, at + 1 * MS))
        at += 2 * MS
        events.append(stepped(begin, at, index))
    return capture(*sorted(events, key=lambda event: event.start_ns), end_ns=at)


def test_the_parts_of_a_step_are_its_time() -> None:
    made = training()
    data = [trace for trace in steps(made)["data"] if trace["type"] == "bar"]
    assert {trace["name"] for trace in data} == {name for step in made.steps for name, ns in step.parts.items() if ns}
    heights = [sum(trace["y"][place] for trace in data) for place in range(len(made.steps))]
    assert heights == pytest.approx([step.wall_ns / 1e9 for step in made.steps])
    assert all(trace["x"] == [step.index + 1 for step in made.steps] for trace in data)
    assert all(trace["marker"]["color"] == COLOURS[trace["name"]] for trace in data)


def test_one_that_stands_out_is_marked_by_what_it_was() -> None:
    (marks,) = [trace for trace in steps(uneven())["data"] if trace["type"] == "scatter"]
    assert (marks["x"], marks["y"]) == ([11], [0.032])
    assert marks["marker"]["color"] == [COLOURS["compile"]]
    assert marks["text"] == ["step 11: 32.0 ms, compile, cell [4] line 8"]


def test_many_steps_are_points() -> None:
    events = [stepped(index * MS, (index + 1) * MS, index) for index in range(MOST_BARS + 1)]
    made = capture(*events, end_ns=(MOST_BARS + 1) * MS)
    (trace,) = steps(made)["data"]
    assert (trace["type"], trace["name"]) == ("scattergl", "python")
    assert trace["x"] == list(range(1, MOST_BARS + 2))
    assert set(trace["y"]) == {0.001}


def test_steps_are_numbered_in_their_capture_as_the_view_has_them() -> None:
    later = capture(*[stepped(at * MS, (at + 1) * MS, 120 + at) for at in range(3)], end_ns=3 * MS)
    assert steps(later)["data"][0]["x"] == [1, 2, 3]


def test_without_steps_there_is_nothing_to_draw() -> None:
    assert steps(capture())["data"] == []
