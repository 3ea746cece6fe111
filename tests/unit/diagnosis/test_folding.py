import pytest

from factories import MS, OTHER, capture, compiled, site, staged, waited
from x10_jupyter.diagnosis.folding import beside, fold, from_cache, same_cause, same_origin, total
from x10_jupyter.records.cause import Cause

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", site=site(7))


def test_compiles_of_one_cause_and_place_are_folded_and_the_costliest_come_first() -> None:
    made = capture(compiled(0, 5), compiled(10, 14, cause=SHAPE), compiled(20, 24, cause=SHAPE), compiled(30, 31, line=99))
    assert [len(group) for group in fold(made.compiles)] == [2, 1, 1]


def test_they_can_be_folded_by_anything() -> None:
    made = capture(compiled(0, 5), compiled(10, 14, cause=SHAPE), compiled(30, 31, function="evaluate"))
    assert [[one.function for one in group] for group in fold(made.compiles, lambda one: one.function)] == [["train", "train"], ["evaluate"]]


def test_what_was_read_from_the_persistent_cache_is_another_thing() -> None:
    hit, miss = capture(compiled(0, 5, cache="hit"), compiled(5, 9, cache="miss")).compiles
    assert same_cause(hit) != same_cause(miss)


def test_how_many_were_read_is_told_if_any_was() -> None:
    made = capture(compiled(0, 5, cache="hit"), compiled(5, 9, cache="miss")).compiles
    assert from_cache(made) == ["1 program of 2 came from the persistent cache, and XLA did not compile."]
    assert from_cache(made[1:]) == []


def test_seconds_of_several() -> None:
    assert total(capture(compiled(0, 5 * MS), compiled(5 * MS, 9 * MS)).compiles) == pytest.approx(0.009)


def test_operations_that_one_function_ran_at_once_belong_together_and_others_by_their_cause() -> None:
    storm = [staged(start, start + 1, function=name, is_eager=True, site=site(start)) for start, name in enumerate(("sin", "cos"))]
    others = [staged(5, 6, function="step"), staged(7, 8, function="exp", is_eager=True, site=site(1, function="init"))]
    found = fold(capture(*storm, *others).compiles, same_origin)
    assert sorted([one.function for one in group] for group in found) == [["exp"], ["sin", "cos"], ["step"]]


def test_what_other_threads_made_is_told_with_where_this_one_waited_longest() -> None:
    others = [compiled(0, 20 * MS, thread=OTHER), compiled(20 * MS, 30 * MS, thread=3)]
    made = capture(*others, compiled(50 * MS, 60 * MS), waited(5 * MS, 10 * MS, how=".join()"), waited(10 * MS, 40 * MS))
    doubt = "For which thread it waited nobody tells, so without them it may have to wait all the same."
    assert beside(made, made.compiles) == [f"2 of 3 programs were made on another thread, while this one waited by .result() at cell [4] line 9. {doubt}"]
    assert beside(made, made.compiles[:1]) == [f"It was made on another thread, while this one waited by .result() at cell [4] line 9. {doubt}"]
    assert beside(made, made.compiles[2:]) == []
    assert beside(capture(*others), capture(*others).compiles) == []
