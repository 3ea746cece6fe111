import json
from dataclasses import astuple

from hypothesis import given
from hypothesis import strategies as st

from captures import training
from x10_jupyter.metrics.instruments import MetricSnapshot
from x10_jupyter.metrics.registry import folded
from x10_jupyter.metrics.totals import kept, over_all


@given(st.integers(0, len(training(12).events)))
def test_parts_come_to_the_whole(at: int) -> None:
    events = training(12).events
    assert over_all(kept(folded(events[:at])), folded(events[at:])) == folded(events)


def test_only_the_newest_samples_stay_and_the_totals_are_of_all() -> None:
    events = training(2_000).events
    found, whole = over_all(kept(folded(events[:6_000])), folded(events[6_000:])), folded(events)
    assert found == whole
    metric = found["ExecuteTime"]
    assert isinstance(metric, MetricSnapshot)
    assert (metric.total, len(metric.samples)) == (2_000, 1_024)


def test_what_is_kept_is_plain() -> None:
    made = kept(folded(training(3).events))
    assert json.loads(json.dumps([astuple(one) for one in made]))
