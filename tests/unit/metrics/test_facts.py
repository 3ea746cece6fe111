from x10_jupyter.metrics.facts import MetricFacts, Report, facts_of, report_of
from x10_jupyter.metrics.instruments import CounterSnapshot, MetricSnapshot


def metric(*samples: tuple[int, int], name: str = "CompileTime", total: int | None = None) -> MetricSnapshot:
    return MetricSnapshot(name, "time", len(samples) if total is None else total, sum(value for _, value in samples), samples)


def test_rates_are_of_the_samples_kept_over_the_time_from_the_first_to_the_last() -> None:
    found = facts_of(metric((0, 4), (1_000_000_000, 6), (2_000_000_000, 10)), (0.5,))
    assert found == MetricFacts(kind="time", total=3, sum=20, value_rate=10.0, rate=1.5, percentiles={0.5: 6})


def test_one_sample_has_no_rate() -> None:
    found = facts_of(metric((7, 4)), (0.1, 0.9))
    assert (found.value_rate, found.rate, found.percentiles) == (None, None, {0.1: 4, 0.9: 4})


def test_a_report_is_in_order_of_names_and_leaves_out_what_has_not_moved() -> None:
    found = report_of([CounterSnapshot("b", 1), metric((0, 1), name="z"), metric((0, 1), name="a"), CounterSnapshot("a", 2), CounterSnapshot("c", 0)], (0.5,))
    assert (list(found.metrics), dict(found.counters)) == (["a", "z"], {"a": 2, "b": 1})
    assert report_of([metric(total=0)], (0.5,)) == Report()


def test_some_names() -> None:
    report = report_of([CounterSnapshot("x10::add", 1), CounterSnapshot("MarkStep", 1), metric((0, 1))], ())
    assert list(report.only(["x10::*"]).counters) == ["x10::add"]
    assert list(report.only(["Compile*", "MarkStep"]).metrics) == ["CompileTime"]
    assert report.only(["compile*"]) == Report()
