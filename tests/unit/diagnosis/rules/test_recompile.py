from dataclasses import replace

import pytest

from factories import FIRST, MS, OTHER, capture, compiled, site, staged, waited
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.rules.recompile import INSTEAD, claims
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.findings import Finding
from x10_jupyter.views.explained import MEANING

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))


def recompiles(*events: Event) -> list[Finding]:
    return [one for one in findings(capture(*events)) if one.kind == "recompile"]


def test_what_would_not_have_happened_is_what_it_costs() -> None:
    (one,) = recompiles(compiled(0, 40 * MS), compiled(50 * MS, 65 * MS, cause=SHAPE, phases={"lower": 5 * MS, "compile": 10 * MS}))
    assert (one.share, one.seconds, one.site) == (0.15, 0.015, site(7))
    assert one.title == "compiling `train` again: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7"
    assert one.advice == "In `train`, at cell [4] line 7: pad the last batch."
    assert one.evidence_for == (
        "1 compile of `train` came after its first, 15.0 ms together (lower 5.00 ms, compile 10.0 ms).",
        "What changed: `x` shape f32[32,64] → f32[17,64].",
    )
    assert one.evidence_against == ()


def test_where_there_is_nothing_to_do_it_says_so() -> None:
    cause = Cause(kind="transform", where="grad", fix="Nothing: each is a program of its own.", site=site(7))
    (one,) = recompiles(compiled(0, 20 * MS, cause=cause))
    assert one.advice == "Nothing: each is a program of its own."


def test_the_same_cause_nine_times_is_one_finding() -> None:
    again = [
        compiled(at * MS, (at + 5) * MS, cause=Cause(kind="shape", where="x", old=f"f32[{at}]", new=f"f32[{at + 10}]", site=site(7)))
        for at in range(10, 100, 10)
    ]
    (one,) = recompiles(compiled(0, 5 * MS), *again)
    assert one.share == 0.45
    assert one.title == "compiling `train` again, 9 times: `x` shape f32[90] → f32[100] at cell [4] line 7"
    assert one.evidence_for[1] == "What changed: `x` shape f32[10] → f32[20]; `x` shape f32[20] → f32[30]; `x` shape f32[30] → f32[40], and 6 other changes."


def test_causes_that_are_small_for_themselves_are_told_together() -> None:
    again = [compiled(at * 10 * MS, (at * 10 + 3) * MS, cause=Cause(kind="constant", where=f"rate{at}", site=site(at))) for at in range(1, 5)]
    (one,) = recompiles(*again)
    assert (one.share, one.title) == (0.12, "compiling 4 programs again for 4 causes, none of them large")
    assert one.evidence_for[0] == "1 × `train`, 3.00 ms: `rate1` constant at cell [4] line 1."
    assert recompiles(again[0]) == []


def test_what_speaks_against_it() -> None:
    (one,) = recompiles(compiled(0, 20 * MS, cause=SHAPE, cache="hit"))
    assert one.evidence_against == (
        "The last of them ended 80.0 ms before the end, so they may be over.",
        "1 program of 1 came from the persistent cache, and XLA did not compile.",
    )
    (one,) = recompiles(compiled(40 * MS, 60 * MS, cause=Cause(kind="unknown")))
    assert one.evidence_against == ("Why 1 program had to be compiled is not known.",)


@pytest.mark.parametrize(
    "event",
    [compiled(0, 60 * MS, cause=FIRST), compiled(0, 60 * MS, cause=SHAPE, thread=OTHER), staged(0, 60 * MS, "compile"), compiled(0, 4 * MS, cause=SHAPE)],
    ids=["the first time", "on another thread that nobody waited for", "who knows why", "too short"],
)
def test_what_is_none(event: Event) -> None:
    assert recompiles(event) == []


def test_operations_on_what_grows_are_one_finding_of_their_line() -> None:
    def grown(at: int, function: str) -> Event:
        cause = Cause(kind="shape", where="x", old=f"f32[{at}]", new=f"f32[{at + 1}]", fix=f"Preallocate {function}.")
        start = 10 * at + (function == "mean")
        return staged(start * MS, (start + 1) * MS, is_eager=True, function=function, cause=cause)

    (one,) = recompiles(*[grown(at, function) for at in range(8) for function in ("stack", "mean")])
    assert one.share == 0.16
    assert one.title == "compiling `stack` and `mean` again, 16 times, for what grows: `x` shape f32[7] → f32[8] at cell [4] line 6"
    assert one.advice == "In `train`, at cell [4] line 6: preallocate stack.", "and not within a function of JAX's"
    assert one.evidence_for[0] == "16 operations ran at once, each compiled for a length of its own, 16.0 ms together (compile 16.0 ms)."
    three = recompiles(*[grown(at, function) for at in range(8) for function in ("a", "b", "c")])
    assert "`a`, `b` and 1 other again, 24 times" in three[0].title


def test_a_cause_without_advice_gets_one_of_its_kind() -> None:
    made = capture(compiled(0, 60 * MS, cause=Cause(kind="weak_type", where="rate", site=site(3))))
    assert claims(made)[0].advice == "In `train`, at cell [4] line 3: give `rate` a dtype of its own, as `jnp.asarray(value, dtype)` does."
    made = capture(compiled(0, 60 * MS, cause=Cause(kind="pytree", where="", site=site(3))))
    assert claims(made)[0].advice == "In `train`, at cell [4] line 3: build what `train` is given of the same parts each time."


def test_all_causes_that_are_a_change_have_advice() -> None:
    assert set(INSTEAD) == set(MEANING) - {"first", "unknown"}


def test_what_another_thread_compiled_while_this_one_waited_is_one() -> None:
    hidden = replace(SHAPE, site=None)
    events = [staged(10 * MS, 60 * MS, thread=OTHER, cause=hidden, site=None, definition_site=site(2)), waited(20 * MS, 70 * MS)]
    (one,) = recompiles(*events)
    assert (one.share, one.site) == (0.4, site(2))
    assert one.title.endswith("(`step` is defined at cell [4] line 2)")
    assert one.advice.startswith("In `step`, at cell [4] line 2: ")
    assert "It was made on another thread, while this one waited by .result() at cell [4] line 9." in one.evidence_against[-1]
