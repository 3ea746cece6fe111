from dataclasses import replace

import pytest

from factories import FIRST, compiled, site
from x10_jupyter.diagnosis import words
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.compile import from_event

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (FIRST, "first time"),
        (SHAPE, "`x` shape f32[32,64] → f32[17,64]"),
        (Cause(kind="static_argument", where="axis", old="0", new="1"), "`axis` static argument 0 → 1"),
        (Cause(kind="evicted"), "forgotten"),
        (
            Cause(kind="evicted", where="jax.clear_caches()", old="compiled at cell [6] line 2", new="forgotten"),
            "`jax.clear_caches()` made JAX forget what it compiled at cell [6] line 2",
        ),
        (Cause(kind="evicted", where="jax.clear_caches()", old="compiled", new="forgotten"), "`jax.clear_caches()` made JAX forget what it had compiled"),
        (Cause(kind="evicted", where="JAX's caches", old="compiled at train.py:2", new="forgotten"), "JAX has forgotten what it compiled at train.py:2"),
        (
            Cause(kind="evicted", where="the compile cache", old="room for 2 programs", new="evicted"),
            "dropped from the compile cache, which has room for 2 programs",
        ),
        (Cause(kind="function_rebuilt", where="f"), "`f` made anew"),
        (Cause(kind="function_rebuilt", where="K", old="3", new="4"), "`K` 3 → 4"),
        (Cause(kind="structure", new="sin"), "another operation: → sin"),
        (Cause(kind="structure", where="matmul", old="a", new="b"), "another operation: a → b"),
        (
            Cause(kind="structure", where="the loop around cell [4] line 7", old="3 passes", new="5 passes"),
            "the loop around cell [4] line 7: 3 passes → 5 passes",
        ),
        (
            Cause(kind="structure", where="what had not run yet when the step began", old="`zeros`", new="nothing"),
            "what had not run yet when the step began: `zeros` → nothing",
        ),
        (Cause(kind="live_outputs", where="result of `h`, held by `kept`", old="1 value", new="2 values"), "result of `h`, held by `kept`: 1 value → 2 values"),
        (
            Cause(kind="cut_moved", where="float() at cell [4] line 9", old="cell [4] line 12", new="cell [4] line 9", site=site(9)),
            "the step ends with float() at cell [4] line 9, and so far ended at cell [4] line 12",
        ),
        (
            Cause(kind="cut_moved", where="float() at cell [4] line 9", old="begins at cell [4] line 7", new="begins at cell [4] line 10", site=site(9)),
            "float() at cell [4] line 9 ended a step in its middle: what is left of it begins at cell [4] line 10",
        ),
    ],
)
def test_causes_as_words(why: Cause, expected: str) -> None:
    assert words.cause(why) == expected


def test_long_values_are_shortened_to_one_line() -> None:
    assert words.shorten("a\n b") == "a b"
    assert words.shorten("x" * 61) == "x" * 59 + "…"
    assert words.shorten("x" * 60) == "x" * 60


def test_a_line_that_changed_itself_is_named_once() -> None:
    why = Cause(kind="structure", where="cell [4] line 7", old="sin", new="cos", site=site(7))
    assert words.cause_at(from_event(compiled(0, 1, cause=why))) == "another operation: sin → cos at cell [4] line 7"
    nowhere = replace(from_event(compiled(0, 1, cause=SHAPE)), call_site=None, cause=replace(SHAPE, site=None))
    assert words.cause_at(nowhere) == "`x` shape f32[32,64] → f32[17,64]"
    assert words.cause_at(replace(nowhere, maker="jax")) == "`x` shape f32[32,64] → f32[17,64] (`train` is defined at cell [4] line 3)"
    assert (words.place(nowhere), words.place(replace(nowhere, maker="jax"))) == (None, site(3))
    assert words.cause_at(from_event(compiled(0, 1, cause=SHAPE))) == "`x` shape f32[32,64] → f32[17,64] at cell [4] line 7"


def test_what_was_forgotten_names_the_line_that_needs_it_again_apart_from_the_one_that_had_it_first() -> None:
    why = Cause(kind="evicted", where="jax.clear_caches()", old="compiled at cell [2] line 1", new="forgotten", site=site(7))
    told = words.cause_at(from_event(compiled(0, 1, cause=why)))
    assert told == "`jax.clear_caches()` made JAX forget what it compiled at cell [2] line 1; needed again at cell [4] line 7"


def test_where_to_change_something() -> None:
    assert words.inside(site(7)) == "In `train`, at cell [4] line 7"
    assert words.inside(site(7, function="<module>")) == "At cell [4] line 7"
    assert words.inside(site(7, function="<module>"), "step") == "In `step`, at cell [4] line 7"
    assert words.inside(None, "step") == "In `step`"
    assert words.inside(None) == ""


def test_what_stands_in_no_function_is_named_by_its_cell_or_file() -> None:
    assert [words.named("step", site(7)), words.named("<module>", site(7)), words.named("<lambda>", site(7))] == ["`step`", "cell [4]", "`<lambda>`"]
    assert [words.named("<module>", site(7, cell=None)), words.named("<module>", None)] == ["`1234.py`", "`<module>`"]
    assert words.inside(site(7, function="loss"), "<module>") == "In `loss`, at cell [4] line 7"
    assert words.inside(site(7, function="loss"), "<lambda>") == "In `<lambda>`, at cell [4] line 7"


@pytest.mark.parametrize("is_eager", [True, False], ids=["run at once", "under a jit of the user's"])
def test_a_function_of_jaxs_own_is_no_place_to_change_anything(is_eager: bool) -> None:
    its_own = replace(from_event(compiled(0, 1)), maker="jax", function="broadcast_in_dim", is_eager=is_eager, definition_site=None)
    assert words.place_of(its_own) == "In `train`, at cell [4] line 7"
    assert words.place_of(replace(its_own, call_site=site(7, function="<module>"))) == "At cell [4] line 7"
    assert words.place_of(replace(its_own, function="step", definition_site=site(3))) == "In `step`, at cell [4] line 7"


def test_a_line_of_lazy_tensors_is_told_with_its_own_function() -> None:
    """What the runtime compiles is called by the function with the cut, in which the line need not stand."""
    why = Cause(kind="first", site=site(3, function="<module>"))
    assert words.place_of(from_event(compiled(0, 1, function="step", cause=why))) == "At cell [4] line 3"
    assert words.place_of(replace(from_event(compiled(0, 1, function="step", cause=why)), maker="jax")) == "In `step`, at cell [4] line 3"


def test_seconds() -> None:
    assert words.seconds(0.25) == "250 ms"


def test_a_function_is_named_as_its_author_calls_it() -> None:
    names = ["train", "Model.init", "main.<locals>.init.<locals>.<listcomp>", "main.<locals>.step", "<module>", "<lambda>"]
    assert [words.function_of(site(1, function=name)) for name in names] == ["train", "Model.init", "init", "step", "", ""]


def test_how_often() -> None:
    assert [words.times(number) for number in (0, 1, 2, 1_200)] == ["", "", ", 2 times", ", 1,200 times"]
