from x10_jupyter.metrics.instruments import MOST_SAMPLES, Counter, CounterSnapshot, Metric, MetricSnapshot


def test_a_metric_sums_up_all_and_keeps_the_newest() -> None:
    metric = Metric("time")
    for i in range(MOST_SAMPLES + 10):
        metric.add([i], [100 + i])
    found = metric.snapshot("CompileTime")
    assert (found.name, found.kind, found.total, found.sum) == ("CompileTime", "time", MOST_SAMPLES + 10, sum(range(MOST_SAMPLES + 10)))
    assert len(found.samples) == MOST_SAMPLES == 1024
    assert (found.samples[0], found.samples[-1]) == ((110, 10), (100 + MOST_SAMPLES + 9, MOST_SAMPLES + 9))


def test_a_snapshot_stays_what_it_was() -> None:
    metric = Metric("value")
    metric.add([5], [1])
    found = metric.snapshot("x")
    metric.add([6], [2])
    assert found == MetricSnapshot("x", "value", 1, 5, ((1, 5),))


def test_what_was_measured_since_a_moment() -> None:
    metric = Metric("bytes")
    metric.add([1], [10])
    before = (metric.total, metric.sum)
    assert metric.snapshot("x").since(before) == MetricSnapshot("x", "bytes", 0, 0, ())
    metric.add([2], [20])
    metric.add([3], [30])
    assert metric.snapshot("x").since(before) == MetricSnapshot("x", "bytes", 2, 5, ((20, 2), (30, 3)))


def test_of_a_long_window_the_newest_samples_are_left() -> None:
    metric = Metric("value")
    for i in range(3 * MOST_SAMPLES):
        metric.add([i], [i])
    assert len(metric.snapshot("x").since((5, 10)).samples) == MOST_SAMPLES


def test_a_counter_counts() -> None:
    counter = Counter()
    counter.value += 3
    assert CounterSnapshot("MarkStep", counter.value).since(1) == CounterSnapshot("MarkStep", 2)
