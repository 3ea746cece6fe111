import pytest

from factories import MS, OTHER, capture, compiled, site, sized
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.size import LineSize


def huge(*events: Event) -> list[Finding]:
    return [one for one in findings(capture(*events)) if one.kind == "huge_graph"]


def test_a_loop_that_is_written_out_is_told_with_its_line_and_what_it_costs() -> None:
    (one,) = huge(sized(0, maker="runtime"), compiled(0, 50 * MS))
    assert one.title == "compiling `train` of 2,007 operations, 2,000 of them from a loop written out 1,000 times at cell [4] line 5"
    assert one.advice == "In `train`, at cell [4] line 5: put `x10.barrier()` at the end of the loop's body, or write the loop as `x10.lax.scan`."
    assert one.evidence_for == (
        "Operations by line: 2,000 at cell [4] line 5, 7 at cell [4] line 6.",
        "Compiling took 24.9 ms for each thousand operations.",
        "With the loop's body once, 9 operations would be left.",
    )
    assert one.share == pytest.approx(0.5 * 1_998 / 2_007), "what is left of the program has to be compiled in any case"
    assert one.site == site(5)


def test_steps_of_lazy_tensors_that_became_one_program_are_told_though_they_are_few() -> None:
    lines = (LineSize(site=site(5), ops=240, passes=20),)
    (one,) = huge(sized(0, ops=241, lines=lines, maker="runtime", function="<module>"), compiled(0, 60 * MS, function="<module>"))
    assert one.title == "compiling cell [4] of 241 operations, 240 of them from a loop written out 20 times at cell [4] line 5"
    assert one.advice == "In `train`, at cell [4] line 5: put `x10.barrier()` at the end of the loop's body, or write the loop as `x10.lax.scan`."


def test_a_loop_within_a_gradient_is_told_without_a_barrier() -> None:
    (one,) = huge(sized(0, maker="runtime", gradients=1), compiled(0, 50 * MS))
    assert one.title == "compiling `train` of 2,007 operations, 2,000 of them from a loop written out 1,000 times at cell [4] line 5"
    assert one.advice == "In `train`, at cell [4] line 5: write the loop as `x10.lax.scan`; if it is one over layers, stack their parameters for it."


def test_a_model_that_is_large_without_a_loop_is_told_without_a_barrier() -> None:
    lines = (LineSize(site=site(5), ops=2_007, passes=12),)
    (one,) = huge(sized(0, ops=6_000, lines=lines, maker="runtime", gradients=1), compiled(0, 50 * MS))
    assert one.title == "compiling `train` of 6,000 operations, 2,007 of them at cell [4] line 5"
    assert one.advice == "In `train`, at cell [4] line 5: stack what repeats and use `x10.lax.scan`."


def test_several_compiles_of_it_are_one_finding() -> None:
    (one,) = huge(sized(0), compiled(0, 20 * MS), sized(30 * MS), compiled(30 * MS, 50 * MS, cache="hit"))
    assert "`train` was compiled 2 times." in one.evidence_for
    assert "1 program of 2 came from the persistent cache, and XLA did not compile." in one.evidence_against


def test_what_was_compiled_again_is_told_as_that_and_the_first_time_as_large() -> None:
    why = Cause(kind="shape", where="x", old="f32[3]", new="f32[4]", site=site(7))
    made = findings(capture(sized(0), compiled(0, 30 * MS), sized(40 * MS), compiled(40 * MS, 70 * MS, cause=why)))
    assert [(one.kind, round(one.share, 2)) for one in made] == [("recompile", 0.3), ("huge_graph", 0.3)]


@pytest.mark.parametrize(
    "events",
    [
        [compiled(0, 60 * MS, ops=50_000)],
        [sized(0, ops=999), compiled(0, 60 * MS)],
        [sized(0, ops=999, lines=(LineSize(site=site(5), ops=999, passes=50),), maker="runtime", gradients=1), compiled(0, 60 * MS)],
        [sized(0, lines=(LineSize(site=site(5), ops=2_007, passes=3),)), compiled(0, 60 * MS)],
        [sized(0, thread=OTHER), compiled(0, 60 * MS, thread=OTHER)],
        [sized(0), compiled(0, 4 * MS)],
        [sized(0)],
    ],
    ids=[
        "from before there were sizes",
        "not so large",
        "a training step of a model of fifty layers",
        "large without a loop, but not so large",
        "on another thread",
        "compiled in no time",
        "never compiled",
    ],
)
def test_what_is_none(events: list[Event]) -> None:
    assert huge(*events) == []
