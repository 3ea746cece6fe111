import re
from collections.abc import Callable

import pytest
from hypothesis import given

from reports import mixed, reports
from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.facts import MetricFacts, Report
from x10_jupyter.metrics.openmetrics_style import Names, read, write


def test_each_kind(golden: Callable[[str, str], None]) -> None:
    golden("metrics.openmetrics.txt", write(mixed()))


@given(reports())
def test_what_is_written_is_read(report: Report) -> None:
    assert read(write(report)) == report


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
ROWS = (
    rf"# TYPE {NAME} (summary|gauge|counter)",
    rf"# UNIT {NAME} (seconds|bytes)",
    rf"# HELP {NAME} " + r'([^\n\\"]|\\[\\n"])*',
    NAME + r'(\{[a-zA-Z_]\w*="([^\n\\"]|\\[\\n"])*"\})? -?\d+(\.\d+)?',
)


@given(reports())
def test_it_is_what_the_format_allows(report: Report) -> None:
    *rows, last = write(report).splitlines()
    assert last == "# EOF"
    assert all(any(re.fullmatch(pattern, row) for pattern in ROWS) for row in rows)
    families = [row.split()[2] for row in rows if row.startswith("# TYPE")]
    assert len(set(families)) == len(families), "each family once, in one piece"
    series = [row.rpartition(" ")[0] for row in rows if not row.startswith("#")]
    assert len(set(series)) == len(series), "each series once"
    for row in rows:
        if row.startswith("# UNIT"):
            _, _, family, unit = row.split()
            assert family.endswith(f"_{unit}")


def test_a_name_stays_one_of_its_own() -> None:
    names = Names()
    assert [names.made(each) for each in ("MarkStep", "mark.step", "MarkStep_total", "::", "ΔT")] == [
        "x10_mark_step",
        "x10_mark_step_2",
        "x10_mark_step_total_2",
        "x10_metric",
        "x10_t",
    ]
    assert names.made("CompileTime", "seconds") == "x10_compile_time_seconds"


def test_names_with_anything_in_them() -> None:
    report = Report(counters={'x10::a"b\\c\nd': 3, 'odd "name"\\': 1})
    assert read(write(report)) == report


def test_seconds_and_bytes_with_all_their_digits() -> None:
    facts = MetricFacts(kind="time", total=1, sum=1_000_000_001, value_rate=0.1, rate=2.0, percentiles={0.5: 1})
    text = write(Report(metrics={"CompileTime": facts}))
    assert "x10_compile_time_seconds_sum 1.000000001\n" in text
    assert 'x10_compile_time_seconds{quantile="0.5"} 0.000000001\n' in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# TYPE a counter\na_total 1", "Line 2 of a metrics report cannot be read: OpenMetrics end with `# EOF`; got 'a_total 1'"),
        ("# TYPE a counter\nb_total 1\n# EOF", "Line 2 .*; got 'b_total 1'"),
        ("# TYPE a counter\na_total one\n# EOF", "Line 2 .*; got 'a_total one'"),
        ("# TYPE a counter\n# WHAT a b\n# EOF", "Line 2 .*; got '# WHAT a b'"),
        ("# TYPE a counter\n# UNIT b c\n# EOF", "Line 2 .*; got '# UNIT b c'"),
        ("# EOF\nmore", "Line 2 .* nothing follows `# EOF`; got 'more'"),
    ],
)
def test_what_is_none_of_the_format(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(text)
