from captures import hostile
from factories import MS, capture, compiled, program, site, staged
from pages import assert_survives, cells
from x10_jupyter.records.cause import Cause, Change
from x10_jupyter.views.compiled import MOST, OPEN
from x10_jupyter.views.compiled import compiled as view

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))


def test_one_cause_at_one_place_is_one_row_with_the_sum() -> None:
    again = [compiled(start * MS, (start + 3) * MS, cause=SHAPE, program=f"p{start}") for start in range(10, 100, 10)]
    header, first, other = cells(view(capture(compiled(0, 5 * MS), *again)))
    assert header == ["program", "times", "time", "where", "why, and what to do"]
    assert first == ["trainp10 … p90, 10 operations", "9", "27.0 ms", "cell [4] line 7", "`x` shape f32[32,64] → f32[17,64]Pad the last batch."]
    assert other == ["trainp1, 10 operations", "1", "5.00 ms", "cell [4] line 7", "first time"]


def test_the_costliest_are_open_and_the_others_folded_with_what_they_took() -> None:
    made = capture(*[compiled(line * MS, line * MS + line * 1000, line=line) for line in range(1, 9)])
    shown, _, behind = view(made).partition("<details")
    assert [row[2] for row in cells(shown)[1:]] == ["8.00 µs", "7.00 µs", "6.00 µs", "5.00 µs", "4.00 µs"]
    assert "3 other causes, 6.00 µs" in behind
    others, _, added_up = behind.partition("by function")
    assert [row[2] for row in cells(others)[1:]] == ["3.00 µs", "2.00 µs", "1.00 µs"]
    assert cells(added_up)[-1] == ["`train`", "8", "0", "36.0 µs", "first time, 8 times"]


def test_what_is_beyond_the_most_is_counted() -> None:
    made = capture(*[compiled(line, line + 1000, line=line) for line in range(100)])
    page = assert_survives(view(made))
    assert f"95 other causes, {95} µs" in page.words.replace(".0", "")
    assert f"and {100 - MOST} other causes, 40.0 µs" in page.words
    assert len(cells(view(made).partition("by function")[0])) == MOST + 2


def test_a_line_that_is_not_known_says_so() -> None:
    assert cells(view(capture(compiled(0, 5, site=None))))[1][3] == "line not known"


def test_nothing_compiled() -> None:
    assert view(capture()) == ""


def test_hostile_names() -> None:
    assert_survives(view(hostile()))
    assert len(cells(view(hostile()))) > OPEN


def test_what_jax_compiled_has_no_cause_and_no_operations_that_are_known() -> None:
    page = cells(view(capture(staged(0, 1 * MS, "lower"), staged(1 * MS, 4 * MS))))
    assert page[1] == ["stepjit(step)", "1", "4.00 ms", "cell [4] line 6", "why is not known"]


def test_what_else_changed_and_where_a_function_is_defined_are_told() -> None:
    more = tuple(Change(kind="shape", where=f"batch['{name}']") for name in ("y", "z", "w"))
    why = Cause(kind="shape", where="batch['x']", old="f32[32]", new="f32[4]", also=more)
    page = cells(view(capture(staged(0, 4 * MS, cause=why, definition_site=site(2)))))
    assert page[1][0] == "stepjit(step), defined at cell [4] line 2"
    assert page[1][4] == "`batch['x']` shape f32[32] → f32[4]; also `batch['y']` shape and `batch['z']` shape and 1 more"


def test_operations_that_ran_at_once_in_one_function_are_one_row() -> None:
    names = ["sin", "mul", "add", "cos", "mul"]
    events = [staged(at * MS, (at + 1) * MS, function=name, is_eager=True, site=site(9, function="init")) for at, name in enumerate(names)]
    page = cells(view(capture(*events, staged(6 * MS, 7 * MS, site=site(9), function="exp", is_eager=True))))
    told = "ran at once, each a program of its ownmul × 2, sin, add and 1 more"
    assert page[1] == ["one-operation programsfrom `init` at cell [4] line 9", "5", "5.00 ms", "cell [4] line 9", told]
    assert page[2][0] == "expjit(exp)"


def test_what_a_run_costs_is_told_where_it_is_known() -> None:
    again = [staged(start * MS, (start + 4) * MS, cause=SHAPE, program=f"jit(step).{start}") for start in (10, 20)]
    made = capture(staged(0, 4 * MS, program="jit(step)"), *again, programs=(program(), program("jit(step).20")))
    page = cells(view(made))
    assert page[1][0] == "stepjit(step).10 … jit(step).201.20 GFLOP, 34.0 MiB read and written, 12.0 MiB temporaries (the last)"
    assert page[2][0] == "stepjit(step)1.20 GFLOP, 34.0 MiB read and written, 12.0 MiB temporaries"
    assert page[3][0] == "program"
    assert "what 2 programs cost" in view(made)
