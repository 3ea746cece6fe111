from factories import MS, OTHER, capture, compiled, staged
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.rules.unknown_cause import claims
from x10_jupyter.records.cause import Cause

UNHEARD = Cause(kind="unknown", where="it may have been compiled before anybody listened")


def test_it_is_no_warm_up_and_says_what_is_known() -> None:
    (one,) = findings(capture(staged(0, 60 * MS, cause=UNHEARD)))
    assert (one.kind, one.share) == ("compile", 0.6)
    assert one.title == "compiling `step`, why is not known: it may have been compiled before anybody listened"
    assert one.advice == "In `train`, at cell [4] line 6: run `%load_ext x10_jupyter` before what compiles, so that a change is known."
    assert one.evidence_against == ("Whether 1 program had been compiled before is not known.",)


def test_several_are_one_finding_named_after_the_longest() -> None:
    (one,) = claims(capture(staged(0, 20 * MS), staged(20 * MS, 60 * MS, function="test", cache="hit")))
    assert (one.title, one.advice) == ("compiling 2 programs, `test` the longest, why is not known", "")
    assert one.evidence_for == ("To make 2 programs took 60.0 ms, and `test` 40.0 ms of it.",)
    assert one.evidence_against[-1] == "1 program of 2 came from the persistent cache, and XLA did not compile."


def test_what_is_none() -> None:
    first, ours = Cause(kind="first"), Cause(kind="unknown")
    events = [staged(0, 60 * MS, cause=first), staged(0, 60 * MS, thread=OTHER), staged(0, 60 * MS, is_eager=True), compiled(0, 60 * MS, cause=ours)]
    assert claims(capture(*events)) == []
