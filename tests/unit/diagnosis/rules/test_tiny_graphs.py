import pytest

from factories import MS, OTHER, capture, cut, dispatched, executed, site, staged
from x10_jupyter.diagnosis.eager import STORM
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.rules.tiny_graphs import MANY
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding


def tiny(*events: Event) -> list[Finding]:
    return [one for one in findings(capture(*events)) if one.kind == "tiny_graphs"]


def eager(times: int, *, first_ms: int = 0, line: int = 9, function: str = "init", **fields: object) -> list[Event]:
    """So many operations at once, a millisecond each."""
    names = ["broadcast_in_dim", "mul", "mul", "sin"]
    where = {"site": site(line, function=function), "is_eager": True, **fields}
    return [staged((first_ms + at) * MS, (first_ms + at + 1) * MS, function=names[at % 4], **where) for at in range(times)]


def test_an_eager_storm_is_one_finding_with_its_function_and_line() -> None:
    (one,) = tiny(*eager(20), *eager(4, first_ms=20, line=10))
    assert (one.share, one.site) == (0.24, site(9, function="init"))
    assert one.title == "compiling 24 one-operation programs from `init` at cell [4] line 9"
    assert one.advice == "In `init`, at cell [4] line 9: put the operations into a function under `jax.jit`, so that they are one program."
    assert one.evidence_for == (
        "24 operations ran at once, outside any `jax.jit`, and each was compiled for itself: 24.0 ms together.",
        "Most of them: `mul` 12, `broadcast_in_dim` 6, `sin` 6.",
    )


def test_shapes_of_an_eager_operation_are_a_storm_and_no_recompiles() -> None:
    made = findings(capture(*eager(20, cause=Cause(kind="shape", where="x", old="f32[3]", new="f32[4]"))))
    assert [(one.kind, one.share) for one in made] == [("tiny_graphs", 0.2)]


def test_outside_a_function_the_line_says_it_all() -> None:
    assert tiny(*eager(STORM, function="<module>"))[0].title == "compiling 16 one-operation programs at cell [4] line 9"


def test_a_few_eager_operations_are_warm_up() -> None:
    assert [one.kind for one in findings(capture(*eager(STORM - 1)))] == ["warm_up"]


@pytest.mark.parametrize(
    "events",
    [eager(30, thread=OTHER), eager(30, is_eager=False), [*eager(10), *eager(10, first_ms=10, function="forward")]],
    ids=["on another thread", "of the user's own jit", "of two functions"],
)
def test_what_is_no_storm(events: list[Event]) -> None:
    assert tiny(*events) == []


def test_operations_that_run_one_by_one_are_told_with_their_line_and_how_many_they_are() -> None:
    (one,) = tiny(dispatched(0, 40 * MS), dispatched(50 * MS, 70 * MS, ops=2_000, site=site(8)))
    assert one.title == "running 7,000 operations one by one, outside any `jax.jit` at cell [4] line 7"
    assert one.advice.startswith("In `train`, at cell [4] line 7: put what is repeated, such as the loop's body, into a function under `jax.jit` or `x10.lazy`")
    assert one.seconds == pytest.approx(0.042), "so many, each as long as the middle one"
    assert one.site == site(7)


def test_they_are_told_however_short_the_cell() -> None:
    (one,) = tiny(dispatched(0, 6 * MS, ops=1_000))
    assert one.seconds == pytest.approx(0.006)


def test_a_gradient_that_is_not_compiled() -> None:
    (one,) = tiny(dispatched(0, 60 * MS, ops=300, each_ns=200_000, is_gradient=True))
    assert one.title == "running the gradient of what is not compiled, 300 operations and more one by one, outside any `jax.jit` at cell [4] line 7"
    assert "`jax.jit(jax.value_and_grad(loss))`" in one.advice


@pytest.mark.parametrize(
    "events",
    [
        [dispatched(0, 60 * MS, ops=999)],
        [dispatched(0, 60 * MS, each_ns=60_000)],
        [dispatched(0, 60 * MS, thread=OTHER)],
        [dispatched(0, 30 * MS, ops=600), dispatched(40 * MS, 70 * MS, ops=600, site=site(7, function="other"))],
        [dispatched(0, 60 * MS, ops=1_000, each_ns=2_000)],
    ],
    ids=["few", "operations that work", "on another thread", "of two functions", "a small part of the cell"],
)
def test_what_runs_one_by_one_and_is_no_fault(events: list[Event]) -> None:
    assert tiny(*events) == []


def early(times: int, ops: int = 2, **fields: object) -> list[Event]:
    return [
        each
        for at in range(times)
        for each in (cut(at * MS // 2, at * MS // 2 + MS // 4, ops=ops, **fields), executed(at * MS // 2, at * MS // 2 + MS // 8, at * MS // 2 + MS // 5))
    ]


def test_traces_that_are_cut_after_an_operation_or_two_are_one_finding() -> None:
    (one,) = tiny(*early(MANY, why="read", how="float()"))
    assert one.title == "running 100 programs of 3 operations or fewer, cut by float() at cell [4] line 7"
    assert one.share == 0.25
    assert one.evidence_for == ("100 traces ended here with at most 3 operations; the middle cut took 250 µs.",)
    assert one.advice == "In `train`, at cell [4] line 7: record more before the value is read, or read several values at once after the loop."
    assert "put the barrier after more operations" in tiny(*early(MANY))[0].advice
    assert "keep what cuts the trace out of the loop" in tiny(*early(MANY, why="device"))[0].advice


@pytest.mark.parametrize(
    "events",
    [early(MANY - 1), early(MANY, ops=4), early(MANY, program=None), early(MANY, thread=OTHER)],
    ids=["not so many", "not so small", "with nothing to run", "on another thread"],
)
def test_what_is_not_cut_too_early(events: list[Event]) -> None:
    assert tiny(*events) == []
