"""Reports are read back, ours and those that were published."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import PAGE, mixed, reports
from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.compare import compare_reports
from x10_jupyter.metrics.facts import MetricFacts, Number, Report
from x10_jupyter.metrics.parse import parse_report
from x10_jupyter.metrics.quantities import time_of
from x10_jupyter.metrics.styles import STYLES, written


def is_near(kind: str, found: Number | None, true: Number | None) -> bool:
    """Whether a text could not have told it more exactly: times to the nanosecond, other values to half of their last digit."""
    if found is None or true is None:
        return found is true
    if kind == "time":
        return found == int(true)
    digit = 0.01 * 1024 ** max(0, min((int(true).bit_length() - 1) // 10, 5)) if kind == "bytes" else 0.01
    return abs(found - true) <= digit * 0.51 + true * 1e-15


@given(reports(), st.sampled_from(["x10", "torch_xla"]))
def test_a_text_is_read_as_what_it_was_made_of(report: Report, style: str) -> None:
    found = parse_report(written(report, style))
    assert found.counters == report.counters
    assert list(found.metrics) == sorted(report.metrics)
    for name, facts in report.metrics.items():
        read = found.metrics[name]
        assert (read.kind, read.total, list(read.percentiles)) == (facts.kind, facts.total, list(facts.percentiles))
        assert is_near(facts.kind, read.sum, facts.sum)
        assert all(is_near(facts.kind, read.percentiles[p], value) for p, value in facts.percentiles.items())
        assert is_near(facts.kind, read.value_rate, facts.value_rate)
        assert (read.rate is None) == (facts.rate is None)
        assert read.rate is None or read.rate == pytest.approx(facts.rate, rel=1e-5)


@pytest.mark.parametrize("style", ["json", "openmetrics"])
def test_other_styles_are_told_apart_and_read_exactly(style: str) -> None:
    assert parse_report(written(mixed(), style)) == mixed()


@pytest.mark.parametrize("style", STYLES)
def test_each_style_is_a_report(style: str) -> None:
    assert set(parse_report(written(mixed(), style)).counters) == set(mixed().counters)


def test_the_sample_of_the_page() -> None:
    found = parse_report(PAGE)
    assert found.counters == {"CachedSyncTensors": 395}
    facts = found.metrics["CompileTime"]
    assert facts == MetricFacts(
        kind="time", total=202, sum=369_401_746_001, value_rate=778_572_062.0, rate=0.425201,
        percentiles={
            0.01: 1_032_778, 0.05: 1_061_283, 0.1: 1_079_236, 0.2: 1_110_973, 0.5: 1_228_773, 0.8: 1_339_183, 0.9: 1_434_305, 0.95: 2_921_063,
            0.99: 21_102_853_173,
        },
    )  # fmt: skip


FALLING = """\
Metric: ExecuteTime
  TotalSamples: 3
  Accumulator: 60s1000ms999.999us
  ValueRate: 910ms567.000us / second
  Rate: 1.5 / second
  Percentiles: 10%=003ms802.884us; 20%=003ms169.099us; 80%=007ms975.321us; 90%=008ms130.260us"""


def test_times_that_x10_rounded_are_what_they_were() -> None:
    facts = parse_report(FALLING).metrics["ExecuteTime"]
    assert facts.sum == 59_999_999_999
    assert facts.value_rate == 909_567_000
    assert list(facts.percentiles.values()) == [2_802_884, 3_169_099, 6_975_321, 8_130_260]
    only_falling = FALLING.replace("60s1000ms999.999us", "12s000ms000.100us")
    assert list(parse_report(only_falling).metrics["ExecuteTime"].percentiles.values()) == [2_802_884, 3_169_099, 6_975_321, 8_130_260]


def test_the_block_of_a_server_without_what_only_it_has() -> None:
    text = """\
Metric: XrtExecute
  TotalSamples: 25
  Accumulator: 01s500ms000.000us
  Mean: 060ms000.000us
  StdDev: 001ms500.000us
  Rate: 2.5 / second
  Percentiles: 25%=050ms000.000us; 50%=055ms000.000us; 80%=060ms000.000us; 90%=065ms000.000us; 95%=070ms000.000us; 99%=090ms000.000us"""
    facts = parse_report(text).metrics["XrtExecute"]
    assert (facts.total, facts.sum, facts.rate, facts.value_rate) == (25, 1_500_000_000, 2.5, None)
    assert facts.percentiles[0.25] == time_of("050ms000.000us")


HEADS = ("Metrics:\n", "I1130 00:00:00.123456 1 metrics.cc:42] Metrics:\n", "[MetricsData; step=12]\n", "Since cell [3] began:\n", "\n\n")


@pytest.mark.parametrize("before", HEADS)
def test_what_may_stand_before_it(before: str) -> None:
    assert parse_report(f"{before}{PAGE}\n") == parse_report(PAGE)


def test_nothing_is_an_empty_report() -> None:
    assert parse_report("") == parse_report("Metrics:\n\n") == Report()


LINES = PAGE.splitlines()


@pytest.mark.parametrize(
    ("line", "text", "rule"),
    [
        (1, "Metric CompileTime", "a report begins with"),
        (2, "  TotalSamples: many", "the number of samples is a whole number"),
        (2, "  Value: 3", "a line of a metric is one of TotalSamples"),
        (2, "TotalSamples: 3", "with two blanks before it"),
        (3, "  Counter: soon", "a sum is a time"),
        (4, "  ValueRate: 778ms572.062us", "a rate ends with ` / second`"),
        (4, "  ValueRate: 4.00 / second", "a value of this metric is a time such as 001ms032.778us, and 4.00 is none"),
        (5, "  Rate: fast / second", "a value of this metric is a number, and fast is none"),
        (6, "  Percentiles: 1%=001ms32.778us, 5%=001ms61.283us", "a value of this metric is a time"),
        (6, "  Percentiles: one=001ms32.778us", "percentiles are like"),
        (6, "  Percentiles: 101%=001ms32.778us", "percentiles are like"),
        (8, "  Value: many", "the value of a counter is a whole number"),
        (8, "  Count: 395", "a line of a counter is one of Value"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: int, text: str, rule: str) -> None:
    broken = [*LINES[: line - 1], text, *LINES[line:]]
    with pytest.raises(UsageError, match=rf"^Line {line} of a metrics report cannot be read: .*{re.escape(rule)}") as caught:
        parse_report("\n".join(broken))
    assert repr(text) in str(caught.value)


def test_what_is_missing_or_comes_twice_is_told_with_its_line() -> None:
    with pytest.raises(UsageError, match=r"^Line 1 .*: a metric has the field TotalSamples; got 'Metric: CompileTime'"):
        parse_report("\n".join([LINES[0], *LINES[2:]]))
    with pytest.raises(UsageError, match=r"^Line 1 .*: a metric has the field Accumulator or Counter"):
        parse_report("\n".join([*LINES[:2], *LINES[3:]]))
    with pytest.raises(UsageError, match=r"^Line 7 .*: a counter has the field Value"):
        parse_report("\n".join(LINES[:-1]))
    with pytest.raises(UsageError, match=r"^Line 3 .*: a metric has each field once"):
        parse_report("\n".join([*LINES[:2], *LINES[1:]]))
    with pytest.raises(UsageError, match=r"^Line 9 .*: a report has each name once; of several reports, such as those of a metrics file, give one"):
        parse_report(f"{PAGE}\n{PAGE}")


@pytest.mark.parametrize(("given", "kind"), [(None, "NoneType"), (b"Counter: x", "bytes"), (3, "int")])
def test_what_is_no_text(given: Any, kind: str) -> None:
    for read in (parse_report, lambda one: compare_reports(one, "")):
        with pytest.raises(UsageError, match=f"A metrics report is given as text; got an object of type {kind}"):
            read(given)
