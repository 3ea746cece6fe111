from dataclasses import replace

from factories import MS, OTHER, capture, compiled, site, sized, staged, stepped
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.rules.warm_up import claims
from x10_jupyter.records.cause import Cause


def test_first_compiles_are_warm_up_all_together() -> None:
    (one,) = findings(capture(compiled(0, 20 * MS), compiled(30 * MS, 60 * MS, function="test")))
    assert (one.kind, one.share, one.site) == ("warm_up", 0.5, site(7))
    assert one.title == "compiling 2 programs for the first time, `test` the longest"
    assert one.evidence_for == ("To make 2 programs took 50.0 ms, and `test` 30.0 ms of it.",)
    assert one.evidence_against == ("It happens once: what runs again finds these programs.",)
    assert one.advice == ("In `train`, at cell [4] line 7: keep the program for new kernels, with `%x10config XLA_PERSISTENT_CACHE_PATH=~/xla`.")


def test_one_is_named() -> None:
    assert claims(capture(compiled(0, 20 * MS)))[0].title == "compiling `train` for the first time"


def test_with_a_persistent_cache_there_is_less_to_do() -> None:
    assert "run it again in a new kernel" in claims(capture(compiled(0, 20 * MS, cache="miss")))[0].advice
    (one,) = claims(capture(compiled(0, 20 * MS, cache="hit")))
    assert one.advice == ""
    assert "1 program of 1 came from the persistent cache, and XLA did not compile." in one.evidence_against


def test_steps_tell_what_it_would_be_in_a_longer_run() -> None:
    steps = [stepped(start * MS, (start + 10) * MS, place) for place, start in enumerate(range(50, 100, 10))]
    assert "The middle one of 5 steps took 10.0 ms, so in a longer run it is less." in claims(capture(compiled(0, 20 * MS), *steps))[0].evidence_against


def test_eager_operations_that_are_compiled_again_are_told_to_be_so_and_why() -> None:
    fix = "Put the operations of this line into a function under jax.jit."
    shape, first = Cause(kind="shape", where="x", old="f32[3]", new="f32[9]", fix=fix), Cause(kind="first")
    events = [staged(at * MS, (at + 1 + at) * MS, is_eager=True, function="sin", cause=cause) for at, cause in ((0, first), (10, shape), (30, shape))]
    (one,) = claims(capture(*events))
    assert one.title == "compiling 3 programs, `sin` the longest, 2 of them for another shape"
    assert one.advice == "In `train`, at cell [4] line 6: put the operations of this line into a function under jax.jit."
    (one,) = claims(capture(events[-1]))
    assert one.title == "compiling `sin` again: `x` shape f32[3] → f32[9]"
    (one,) = claims(capture(events[0], staged(60 * MS, 61 * MS, is_eager=True)))
    assert one.title == "compiling 2 programs, `sin` the longest", "of one it is not known"
    assert "Whether 1 program had been compiled before is not known." in one.evidence_against


def test_what_is_none() -> None:
    shape = Cause(kind="shape", where="x")
    assert claims(capture(compiled(0, 60 * MS, cause=shape), compiled(0, 60 * MS, thread=OTHER))) == []
    assert claims(capture(replace(staged(0, 60 * MS, "trace")))) == []


def test_what_is_more_than_warm_up_is_left_out() -> None:
    storm = [staged(at * MS, (at + 1) * MS, is_eager=True) for at in range(20)]
    assert claims(capture(*storm, sized(30 * MS), compiled(30 * MS, 90 * MS))) == []
    assert claims(capture(*storm[:3]))[0].title == "compiling 3 programs, `step` the longest"
    grown = [staged(at * MS, (at + 1) * MS, is_eager=True, cause=Cause(kind="shape", where="x", old=f"f32[{at}]", new=f"f32[{at + 1}]")) for at in range(3)]
    assert claims(capture(*grown, staged(60 * MS, 90 * MS))) == []
