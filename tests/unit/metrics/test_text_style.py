import pytest

from x10_jupyter.metrics.facts import MetricFacts
from x10_jupyter.metrics.text_style import lines, metric_lines, one_line, percent


@pytest.mark.parametrize(("fraction", "text"), [(0.01, "1%"), (0.5, "50%"), (0.999, "99.9%"), (0.07, "7%"), (0.29, "29%")])
def test_percents_are_like_those_of_a_stream_in_cpp(fraction: float, text: str) -> None:
    assert percent(fraction) == text


def test_rates_are_left_out_where_there_are_none() -> None:
    facts = MetricFacts(kind="value", total=1, sum=3, value_rate=None, rate=None, percentiles={0.5: 3})
    assert list(metric_lines(facts, "Accumulator")) == ["  TotalSamples: 1", "  Accumulator: 3.00", "  Percentiles: 50%=3.00"]


def test_a_name_is_one_line_whatever_it_is() -> None:
    assert one_line("x10::dot_general") == "x10::dot_general"
    assert one_line("x10::<lambda>") == "x10::<lambda>"
    assert "\n" not in one_line("x10::a\nCounter: forged\n  Value: 9")
    assert one_line("x10::b ") == "'x10::b '"


def test_of_nothing_it_is_empty() -> None:
    from x10_jupyter.metrics.facts import Report

    assert lines(Report(), sum_label="Counter") == ""
