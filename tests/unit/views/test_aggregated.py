from factories import MS, capture, compiled, site
from pages import assert_survives, cells
from x10_jupyter.diagnosis.aggregates import BY
from x10_jupyter.records.cause import Cause
from x10_jupyter.views.aggregated import MOST, aggregated_html, aggregated_text, shared

SHAPE = Cause(kind="shape", where="x", old="f32[32]", new="f32[17]", site=site(7))
MADE = capture(
    compiled(0, 5 * MS),
    *[compiled(start * MS, (start + 3) * MS, cause=SHAPE) for start in range(10, 100, 10)],
    compiled(200 * MS, 201 * MS, function="evaluate", site=site(3, 5)),
).compiles


def test_a_line_sums_up_and_each_group_has_one() -> None:
    assert aggregated_text(MADE, "function", "in this kernel") == "\n".join(
        [
            "11 programs compiled in 33.0 ms, 9 of them again; in this kernel",
            "by function  times  again     time  why",
            "`train`         10      9  32.0 ms  `x` shape f32[32] → f32[17], 9 times; first time",
            "`evaluate`       1      0  1.00 ms  first time",
        ]
    )


def test_by_cause_what_it_is_says_why() -> None:
    header, first = aggregated_text(MADE, "cause").splitlines()[1:3]
    assert header.split() == ["by", "cause", "times", "again", "time"]
    assert first == "`train`: `x` shape f32[32] → f32[17] at cell [4] line 7      9      9  27.0 ms"


def test_the_table_says_the_same() -> None:
    for by in BY:
        made = aggregated_html(MADE, by)
        assert_survives(made)
        told = aggregated_text(MADE, by)
        for row in cells(made)[1:]:
            assert all(cell in told for cell in row)


def test_many_groups_are_counted_and_causes_too() -> None:
    several = [Cause(kind="shape", where=f"x{which}", old="a", new="b") for which in range(5)]
    many = [compiled(line * MS, (line + 1) * MS, line=line) for line in range(MOST + 4)]
    assert aggregated_text(capture(*many).compiles, "line").splitlines()[-1] == "and 4 others, 4.00 ms"
    one = capture(*[compiled(place * MS, (place + 1) * MS, cause=why) for place, why in enumerate(several)]).compiles
    assert aggregated_text(one, "function").splitlines()[2].endswith("`x2` shape a → b; and 2 other causes")


def test_nothing() -> None:
    assert aggregated_text((), "cell") == "Nothing was compiled."
    assert aggregated_text((), "cell", "in this kernel") == "Nothing was compiled; in this kernel."
    assert "Nothing was compiled." in aggregated_html((), "cell")
    assert shared(()) == ""


def test_a_report_has_causes_and_behind_them_functions_and_cells() -> None:
    words = assert_survives(shared(MADE)).words
    assert [words.count(each) for each in ("by cause", "by function", "by cell")] == [1, 2, 2]
