import pytest

from factories import FIRST, MS, capture, compiled, fell_back, read, retraced, site, stepped, traced
from x10_jupyter.records.cause import Cause
from x10_jupyter.views import phrases

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))


def test_the_headline_answers_what_compiled_what_ran_what_took_longest_and_why_again() -> None:
    made = capture(
        compiled(0, 40 * MS, phases={"lower": 5 * MS, "compile": 35 * MS}),
        compiled(50 * MS, 60 * MS, cause=SHAPE),
        stepped(0, 50 * MS, 0),
        stepped(50 * MS, 70 * MS, 1),
    )
    assert phrases.headline(made) == (
        "2 programs compiled in 50.0 ms, 2 steps in 20.0 ms: 50 % of 100 ms was compiling; last recompile: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7"
    )


def test_the_headline_of_a_cell_without_any_xla() -> None:
    assert phrases.headline(capture()) == "Nothing compiled: 100 % of 100 ms was Python outside any trace"


def test_the_headline_names_the_error_first() -> None:
    assert phrases.headline(capture(error="ValueError: no.")).startswith("Stopped by ValueError: no. Nothing compiled")


def test_the_headline_begins_with_the_name() -> None:
    assert phrases.headline(capture(name="warm up")).startswith("warm up: Nothing compiled: ")


def test_a_line_that_changed_itself_is_named_once() -> None:
    why = Cause(kind="structure", where="cell [4] line 7", old="sin", new="cos", site=site(7))
    assert phrases.headline(capture(compiled(0, MS, cause=why))).endswith("last recompile: structure sin → cos at cell [4] line 7")
    loop = Cause(kind="structure", where="the loop around cell [4] line 7", old="3 passes", new="2 passes", site=site(7))
    assert phrases.headline(capture(compiled(0, MS, cause=loop))).endswith("recompile: the loop around cell [4] line 7 structure 3 passes → 2 passes")


def test_a_first_compile_is_no_recompile() -> None:
    assert "recompile" not in phrases.headline(capture(compiled(0, MS)))


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (FIRST, "first time"),
        (SHAPE, "`x` shape f32[32,64] → f32[17,64]"),
        (Cause(kind="static_argument", where="axis", old="0", new="1"), "`axis` static argument 0 → 1"),
        (Cause(kind="evicted"), "evicted"),
        (Cause(kind="structure", new="sin"), "structure → sin"),
    ],
)
def test_causes_as_words(why: Cause, expected: str) -> None:
    assert phrases.cause(why) == expected


def test_long_values_are_shortened_to_one_line() -> None:
    assert phrases.shorten("a\n b") == "a b"
    assert phrases.shorten("x" * 61) == "x" * 59 + "…"
    assert phrases.shorten("x" * 60) == "x" * 60


def test_compiles_of_one_cause_and_place_are_folded_and_the_costliest_come_first() -> None:
    made = capture(compiled(0, 5), compiled(10, 14, cause=SHAPE), compiled(20, 24, cause=SHAPE), compiled(30, 31, line=99))
    assert [len(group) for group in phrases.fold_compiles(made)] == [2, 1, 1]


def test_reads_and_fallbacks_are_counted_by_line() -> None:
    made = capture(read(0, 1), read(1, 2), read(2, 3, site=None, how="numpy", aval="f32[3]"), fell_back(3, 4))
    assert phrases.reads(made) == ["float() f32[] at cell [4] line 9, 2 times", "numpy f32[3]"]
    assert phrases.fallbacks(made) == ["nonzero (its result's shape depends on values) at cell [4] line 11"]


def test_calls_that_are_traced_again_are_counted_by_line() -> None:
    made = capture(retraced(1), retraced(2), retraced(3, op="loss", reads="a\nb"))
    assert phrases.retraced(made) == [
        "scores (reads Tokenizer, which cannot be seen into) at cell [4] line 13, 2 times",
        "loss (reads a b, which cannot be seen into) at cell [4] line 13",
    ]


def test_the_longest_step_is_counted_from_the_first_of_the_capture() -> None:
    made = capture(stepped(0, 1 * MS, 5), stepped(1 * MS, 9 * MS, 6), stepped(9 * MS, 11 * MS, 7))
    assert phrases.steps(made) == "median 2.00 ms, longest 8.00 ms (number 2)"


def test_shares_leave_out_what_took_no_time() -> None:
    assert phrases.shares(capture(traced(0, 30 * MS))) == [("python", 70 * MS), ("trace", 30 * MS)]


def test_what_was_read_from_the_persistent_cache_was_not_compiled() -> None:
    hit, miss = compiled(0, 5 * MS, cache="hit", phases={"compile": 2 * MS}), compiled(5 * MS, 9 * MS, cache="miss")
    assert phrases.compiled(capture(hit)) == "1 program read from the cache in 5.00 ms"
    assert phrases.compiled(capture(hit, hit, miss)) == "1 program compiled and 2 programs read from the cache in 9.00 ms"
    assert [phrases.found(group) for group in phrases.fold_compiles(capture(hit, hit, miss))] == ["read from the cache in 4.00 ms", ""]
