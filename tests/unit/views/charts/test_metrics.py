from random import Random

import pytest

from reports import PERCENTILES, page_samples
from x10_jupyter.metrics.instruments import Kind, Metric, MetricSnapshot
from x10_jupyter.views.charts.metrics import part, percentiles, percentiles_and_samples


def metric(name: str, kind: Kind, values: list[int]) -> MetricSnapshot:
    made = Metric(kind)
    for at, value in enumerate(values):
        made.add([value], [5_000_000_000 + at * 500_000_000])
    return made.snapshot(name)


def test_percentiles_are_those_that_the_page_shows() -> None:
    (trace,) = percentiles([page_samples()], PERCENTILES)["data"]
    assert trace["x"] == ["1 %", "5 %", "10 %", "20 %", "50 %", "80 %", "90 %", "95 %", "99 %"]
    # 1%=001ms32.778us; … 99%=21s102ms853.173us
    assert (trace["y"][0], trace["y"][4], trace["y"][-1]) == (0.001032778, 0.001228773, 21.102853173)


def test_they_are_elements_of_the_sorted_samples() -> None:
    values = Random(1).sample(range(1, 10_000), 999)
    (trace,) = percentiles([metric("Sizes", "bytes", values)], PERCENTILES)["data"]
    for fraction, shown in zip(PERCENTILES, trace["y"], strict=True):
        assert sum(value < shown for value in values) == int(fraction * len(values))


def test_metrics_of_one_kind_share_an_axis_and_kinds_do_not() -> None:
    metrics = [metric("A", "time", [1]), metric("B", "time", [2]), metric("C", "bytes", [0]), metric("D", "value", [3])]
    made = percentiles(metrics, (0.5,))
    assert {trace["name"]: trace["yaxis"] for trace in made["data"]} == {"A": "y", "B": "y", "C": "y2", "D": "y3"}
    layout = made["layout"]
    assert [layout[axis]["title"]["text"] for axis in ("yaxis", "yaxis2", "yaxis3")] == ["time", "size", "number"]
    assert [layout[axis]["type"] for axis in ("yaxis", "yaxis2", "yaxis3")] == ["log", "linear", "log"]  # zero has no logarithm
    assert layout["yaxis"]["domain"][0] > layout["yaxis2"]["domain"][1] > layout["yaxis2"]["domain"][0] > layout["yaxis3"]["domain"][1]


def test_a_logarithmic_axis_has_as_many_ticks_as_can_be_read() -> None:
    near, far = ([metric("A", "time", values)] for values in ([1, 900], [1, 1100]))
    assert percentiles(near, (0.01, 0.99))["layout"]["yaxis"]["dtick"] == "D2"
    assert percentiles(far, (0.01, 0.99))["layout"]["yaxis"]["dtick"] == 1


def test_samples_stand_beside_over_the_time_at_which_they_were_taken() -> None:
    made = percentiles_and_samples([metric("A", "time", [1_000_000, 3_000_000])], (0.5,))
    left, right = made["data"]
    assert (left["x"], left["y"]) == (["50 %"], [0.003])
    assert (right["x"], right["y"]) == ([0.0, 0.5], [0.001, 0.003])
    assert (left["showlegend"], right["showlegend"]) == (True, False)
    assert left["line"]["color"] == right["line"]["color"]


def test_a_metric_with_two_names_is_drawn_once() -> None:
    metrics = [metric(name, "time", [1]) for name in ("TransferToDeviceTime", "TransferToServerTime")]
    assert [trace["name"] for trace in percentiles(metrics, (0.5,))["data"]] == ["TransferToServerTime"]
    assert [trace["name"] for trace in percentiles(metrics[:1], (0.5,))["data"]] == ["TransferToDeviceTime"]


def test_many_metrics_look_different() -> None:
    data = percentiles([metric(f"M{i}", "value", [1]) for i in range(40)], (0.5,))["data"]
    assert len({(trace["line"]["color"], trace["line"]["dash"]) for trace in data}) == 40


def test_nothing_measured() -> None:
    assert percentiles([], PERCENTILES)["data"] == []


def test_charts_do_not_overlap() -> None:
    assert part(0, 1) == [0, 1]
    assert part(0, 2) == pytest.approx([0, 0.455])
    assert part(1, 2) == pytest.approx([0.545, 1])


def test_what_looks_like_html_is_text() -> None:
    (trace,) = percentiles([metric("<b>", "time", [1])], (0.5,))["data"]
    assert trace["name"] == "&lt;b&gt;"
    assert "<b>" not in trace["hovertemplate"]
