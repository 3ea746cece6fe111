import sys
from collections.abc import Iterator

import pytest

from reports import PERCENTILES
from x10_jupyter.base.errors import MissingExtraError
from x10_jupyter.magics.dashboard import Dashboard
from x10_jupyter.metrics.instruments import CounterSnapshot, Kind, Metric, Snapshot
from x10_jupyter.views.charts.metrics import percentiles


@pytest.fixture
def dashboard() -> Iterator[Dashboard]:
    made = Dashboard({}, PERCENTILES)
    yield made
    made.close()


def snapshots(steps: int, **metrics: tuple[Kind, list[int]]) -> dict[str, Snapshot]:
    found: dict[str, Snapshot] = {"MarkStep": CounterSnapshot("MarkStep", steps)}
    for name, (kind, values) in metrics.items():
        metric = Metric(kind)
        for at, value in enumerate(values):
            metric.add([value], [at])
        found[name] = metric.snapshot(name)
    return found


def drawn(dashboard: Dashboard) -> list[tuple[str, list[float]]]:
    return [(trace.name, list(trace.y)) for trace in dashboard.figure.data]


def expected(now: dict[str, Snapshot]) -> list[tuple[str, list[float]]]:
    metrics = [one for name, one in now.items() if name != "MarkStep"]
    return [(trace["name"], trace["y"]) for trace in percentiles(metrics, PERCENTILES)["data"]]  # pyright: ignore[reportArgumentType] # all others are metrics


def test_it_begins_with_what_there_is() -> None:
    now = snapshots(5, ExecuteTime=("time", [1000, 3000]))
    made = Dashboard(now, PERCENTILES)
    assert ">5<" in made.counters.value
    assert "+" not in made.counters.value
    assert drawn(made) == expected(now)
    made.close()


def test_it_shows_counters_and_percentiles(dashboard: Dashboard) -> None:
    now = snapshots(5, ExecuteTime=("time", [1000, 3000]), InboundData=("bytes", [4]))
    dashboard.show(now, snapshots(4), "Watching.")
    assert "Watching." in dashboard.state.value
    assert "+4" in dashboard.counters.value
    assert drawn(dashboard) == expected(now)
    assert len(drawn(dashboard)) == 2


def test_points_move_and_lines_stay_the_same(dashboard: Dashboard) -> None:
    dashboard.show(snapshots(5, ExecuteTime=("time", [1000]), InboundData=("bytes", [4])), {}, "")
    lines = list(dashboard.figure.data)
    now = snapshots(6, ExecuteTime=("time", [1000, 0, 9000]), InboundData=("bytes", [4]))
    dashboard.show(now, now, "")
    assert drawn(dashboard) == expected(now)
    assert all(one is other for one, other in zip(lines, dashboard.figure.data, strict=True))
    assert dashboard.figure.layout.yaxis.type == "linear"  # zero has no logarithm


def test_other_metrics_are_drawn_anew(dashboard: Dashboard) -> None:
    dashboard.show(snapshots(5, ExecuteTime=("time", [1000])), {}, "")
    for now in (snapshots(6, ExecuteTime=("time", [1000]), CompileTime=("time", [2000]), TensorsGraphSize=("value", [7])), snapshots(7), snapshots(8)):
        dashboard.show(now, now, "")
        assert drawn(dashboard) == expected(now)


def test_a_notebook_gets_widgets_and_a_table_where_there_are_none(dashboard: Dashboard) -> None:
    dashboard.show(snapshots(5), {}, "")
    bundle = dashboard.bundle()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == dashboard.box.model_id
    assert "MarkStep" in bundle["text/html"]


@pytest.mark.parametrize("package", ["ipywidgets", "anywidget", "plotly.graph_objects"])
def test_without_a_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"%x10metrics --watch needs the package `\w+`.*x10_jupyter\[widgets\]"):
        Dashboard({}, PERCENTILES)
