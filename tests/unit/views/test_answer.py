"""The first line: the largest findings, or where most of the time went."""

from dataclasses import replace

import pytest

from captures import hostile, training
from factories import MS, OTHER, capture, compiled, executed, fell_back, read, site, staged, stepped, traced, transferred
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.views.answer import LONGEST, answer, gist

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))
PHASES = {"lower": 5 * MS, "compile": 35 * MS}


def test_the_largest_finding_is_told_and_the_next_one_that_is_worth_it() -> None:
    made = capture(compiled(0, 60 * MS, phases=PHASES), compiled(70 * MS, 85 * MS, cause=SHAPE), stepped(0, 70 * MS, 0), stepped(70 * MS, 90 * MS, 1))
    assert answer(made) == (
        "60 % of 100 ms was compiling `train` for the first time; "
        "15 % compiling `train` again: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7; 2 steps in 15.0 ms"
    )
    assert gist(capture(compiled(0, 60 * MS), compiled(70 * MS, 79 * MS, cause=SHAPE))) == "60 % of 100 ms was compiling `train` for the first time"


def test_as_much_of_what_ran_is_told_as_there_is_room_for() -> None:
    assert answer(capture(compiled(0, 60 * MS), stepped(0, 90 * MS))) == (
        "60 % of 100 ms was compiling `train` for the first time; 1 program compiled in 60.0 ms, 1 step in 30.0 ms"
    )
    made = capture(compiled(0, 60 * MS, cause=replace(SHAPE, where="w" * 42)), stepped(0, 90 * MS))
    assert answer(made).endswith(" at cell [4] line 7; 1 step in 30.0 ms")


def test_the_same_cause_counts_together() -> None:
    again = [compiled(start * MS, (start + 8) * MS, cause=SHAPE) for start in (50, 60, 70)]
    assert gist(capture(*again)).startswith("24 % of 100 ms was compiling `train` again, 3 times: `x` shape")


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([executed(0, 91 * MS, 92 * MS)], "Nothing to fix: 92 % of 100 ms was the model running"),
        ([executed(0, 1 * MS, 97 * MS)], "Nothing to fix: 97 % of 100 ms was the model running"),
        ([executed(0, 89 * MS, 89 * MS)], "89 % of 100 ms was the model running"),
        ([executed(0, 1 * MS, 97 * MS), compiled(10 * MS, 40 * MS, cause=SHAPE)], "30 % of 100 ms was compiling `train` again"),
    ],
    ids=["waited for", "on its own", "not quite", "with a recompile meanwhile"],
)
def test_a_model_that_runs_nearly_all_the_time_needs_no_fix(events: list[Event], said: str) -> None:
    assert gist(capture(*events)).startswith(said)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([], "100 % of 100 ms was Python outside any trace, and no fault is known that took 50.0 ms or more"),
        ([read(at * 10 * MS, (at + 1) * 10 * MS) for at in range(6)], "60 % of 100 ms was waiting for float() of f32[] at cell [4] line 9, 6 times"),
        ([transferred(0, 60 * MS)], "60 % of 100 ms was moving data to the device at cell [4] line 5"),
        (
            [fell_back(0, 60 * MS)],
            "60 % of 100 ms was `nonzero` on its own at cell [4] line 11, since its result's shape depends on values",
        ),
        (
            [fell_back(0, 60 * MS, compiling=((10 * MS, 50 * MS),))],
            "60 % of 100 ms was `nonzero` on its own at cell [4] line 11, since its result's shape depends on values",
        ),
        ([traced(0, 60 * MS)], "60 % of 100 ms was tracing, and no fault is known that took 50.0 ms or more"),
        ([read(0, 60 * MS, thread=OTHER)], "100 % of 100 ms was Python outside any trace, and no fault is known that took 50.0 ms or more"),
        ([executed(0, 1, 100 * MS, thread=OTHER), read(0, 50 * MS)], "Nothing to fix: 100 % of 100 ms was the model running"),
    ],
    ids=["nothing", "reads", "transfers", "fallbacks", "fallbacks that compile", "tracing", "another thread", "a read that only waits"],
)
def test_each_kind_of_time_names_its_line_as_far_as_it_is_known(events: list[Event], said: str) -> None:
    assert gist(capture(*events)) == said


def test_how_large_a_fault_had_to_be_is_told_as_far_as_there_could_be_one() -> None:
    assert gist(capture(end_ns=2000 * MS)).endswith(", and no fault is known that took 5 % of it or more")
    assert gist(capture(end_ns=8 * MS)) == "100 % of 8.00 ms was Python outside any trace"


def test_what_nothing_recorded_explains_is_said_to_be_so() -> None:
    assert gist(capture(cpu_ns=10 * MS)) == "90 % of 100 ms was not explained by anything recorded"


def test_what_jax_traces_for_a_program_is_a_part_of_compiling_it() -> None:
    traced, first = staged(0, 40 * MS, "trace"), Cause(kind="first")
    assert gist(capture(traced, staged(40 * MS, 60 * MS, cause=first))) == "60 % of 100 ms was compiling `step` for the first time"
    assert gist(capture(traced, staged(40 * MS, 60 * MS))) == "60 % of 100 ms was compiling `step`, why is not known"
    assert gist(capture(staged(0, 60 * MS, "trace"))).startswith("60 % of 100 ms was tracing")


def test_a_capture_that_failed_says_so_first() -> None:
    assert answer(capture(error="ValueError: no.")).startswith("Stopped by ValueError: no. 100 % of 100 ms was")
    told = answer(capture(executed(0, 91 * MS, 92 * MS), error="ValueError: no"))
    assert told.startswith("Stopped by ValueError: no. 92 % of 100 ms was the model running"), "what failed is to be fixed"


def test_it_begins_with_the_name() -> None:
    assert answer(capture(name="warm up")).startswith("warm up: 100 % of 100 ms was")


def test_a_window_without_length() -> None:
    assert answer(capture(end_ns=0)) == "No time passed; nothing compiled"


def test_a_line_that_changed_itself_is_named_once() -> None:
    why = Cause(kind="structure", where="cell [4] line 7", old="sin", new="cos", site=site(7))
    assert gist(capture(compiled(0, 90 * MS, cause=why))).endswith("`train` again: another operation: sin → cos at cell [4] line 7")
    loop = Cause(kind="structure", where="the loop around cell [4] line 7", old="3 passes", new="2 passes", site=site(7))
    assert gist(capture(compiled(0, 90 * MS, cause=loop))).endswith("again: the loop around cell [4] line 7: 3 passes → 2 passes")


def test_it_has_one_line_whatever_happens() -> None:
    for made in (training(), hostile(), capture(name="n" * 300, error="E: " + "e" * 300), capture(name="a\nb", error="c\nd")):
        assert len(answer(made)) <= LONGEST
        assert "\n" not in answer(made)
