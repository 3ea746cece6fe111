import pytest

from captures import training
from factories import capture
from x10_jupyter.views.charts.time_split import time_split


def test_bars_are_the_wall_time_longest_first() -> None:
    made = training()
    (trace,) = time_split(made)["data"]
    assert sum(trace["x"]) == pytest.approx(made.wall_ns / 1e9)
    assert trace["x"] == sorted(trace["x"], reverse=True)
    assert dict(zip(trace["y"], trace["x"], strict=True)) == pytest.approx({name: ns / 1e9 for name, ns in made.time.items() if ns})
    assert trace["text"][0].endswith(" %")


def test_nothing_happened_in_no_time() -> None:
    (trace,) = time_split(capture(end_ns=0, cpu_ns=0))["data"]
    assert trace["x"] == []
