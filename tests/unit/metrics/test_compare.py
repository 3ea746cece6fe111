from collections.abc import Callable

import pytest

from reports import PAGE, mixed
from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.compare import Change, compare_reports
from x10_jupyter.metrics.facts import Report
from x10_jupyter.metrics.x10_style import write

LATER = PAGE.replace("TotalSamples: 202", "TotalSamples: 303").replace("Value: 395", "Value: 790").replace("001ms228.773us", "001ms300.000us")


def test_equal_reports_do_not_differ() -> None:
    found = compare_reports(PAGE, PAGE)
    assert (tuple(found), str(found)) == ((), "Nothing has changed.")


def test_what_has_changed() -> None:
    found = compare_reports(PAGE, LATER)
    assert [(each.name, each.what, each.old, each.new, each.ratio) for each in found] == [
        ("CompileTime", "TotalSamples", 202, 303, 1.5),
        ("CompileTime", "50%", 1_228_773, 1_300_000, 1_300_000 / 1_228_773),
        ("CachedSyncTensors", "Value", 395, 790, 2.0),
    ]


def test_a_table(golden: Callable[[str, str], None]) -> None:
    old = Report(metrics=mixed().metrics, counters={"CachedCompile": 390, "cause::shape": 2})
    new = Report(metrics={name: facts for name, facts in mixed().metrics.items() if name != "LazyTracing"}, counters=mixed().counters)
    golden("metrics.changes.txt", str(compare_reports(old, new)))


def test_texts_of_different_styles_and_what_was_made_of_them() -> None:
    assert compare_reports(PAGE.replace("Counter: 06m", "Accumulator: 06m"), PAGE) == ()
    assert compare_reports(mixed(), mixed()) == ()
    # a text has fewer digits than what it was made of
    assert {each.what for each in compare_reports(write(mixed()), mixed())} <= {"Sum", "Rate", "ValueRate"}


def test_what_only_one_of_them_has() -> None:
    (change,) = compare_reports("", "Counter: MarkStep\n  Value: 3")
    assert change == Change("MarkStep", "Value", None, 3, "— → 3")
    assert (change.ratio, str(change)) == (None, "— → 3")


def test_a_line_that_cannot_be_read() -> None:
    with pytest.raises(UsageError, match=r"^Line 1 "):
        compare_reports(PAGE, "hello")
