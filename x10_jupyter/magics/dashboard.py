"""Counters and percentiles as widgets, which change in place while other cells run."""

from collections.abc import Mapping, Sequence
from typing import Any

from x10_jupyter.base.extras import imported
from x10_jupyter.metrics.instruments import MetricSnapshot, Snapshot
from x10_jupyter.views.charts.metrics import percentiles
from x10_jupyter.views.charts.spec import Spec
from x10_jupyter.views.markup import element
from x10_jupyter.views.theme import QUIET
from x10_jupyter.views.watched import watched

WHAT = "%x10metrics --watch"


class Dashboard:
    """A table of counters, and under it the percentile charts."""

    def __init__(self, now: Mapping[str, Snapshot], fractions: Sequence[float]) -> None:
        """Make the widgets.

        Args:
            now: What there is, by name.
            fractions: Those of percentiles.

        Raises:
            MissingExtraError: A package of the extra ``widgets`` is not installed.
        """
        widgets = imported("ipywidgets", extra="widgets", what=WHAT)
        imported("anywidget", extra="widgets", what=WHAT)  # plotly's figures are such
        self.fractions = fractions
        self.state = widgets.HTML()
        self.counters = widgets.HTML(watched(now, {}))
        self.figure = imported("plotly.graph_objects", extra="widgets", what=WHAT).FigureWidget(self.charts(now))
        self.box = widgets.VBox([self.state, widgets.Box([self.counters], layout=widgets.Layout(max_height="20em", overflow="auto")), self.figure])

    def show(self, now: Mapping[str, Snapshot], moved: Mapping[str, Snapshot], state: str) -> None:
        """Bring the widgets up to date; what has not changed is not sent.

        Args:
            now: What there is, by name.
            moved: What has been counted since somebody began to watch, or since all was cleared, by name.
            state: A line above.
        """
        self.state.value = element("div", state, opacity=QUIET, font_size="13px")
        self.counters.value = watched(now, moved)
        self.draw(self.charts(now))

    def charts(self, now: Mapping[str, Snapshot]) -> Spec:
        """The percentiles of what there is."""
        return percentiles([one for one in now.values() if isinstance(one, MetricSnapshot)], self.fractions)

    def draw(self, made: Spec) -> None:
        """Bring the charts up to date: points move, and are drawn anew only when there are other metrics than before."""
        figure, traces = self.figure, made["data"]
        if [place(trace) for trace in figure.data] != [place(trace) for trace in traces]:
            figure.data = ()
            figure.update_layout(made["layout"], overwrite=True)
            figure.add_traces(traces)
            return
        with figure.batch_update():
            for trace, new in zip(figure.data, traces, strict=True):
                if list(trace.y) != new["y"]:
                    trace.x, trace.y = new["x"], new["y"]
            for name, axis in made["layout"].items():
                if name.startswith("yaxis") and figure.layout[name].type != axis["type"]:
                    figure.layout[name].type = axis["type"]

    def bundle(self) -> dict[str, Any]:
        """What a notebook shows: the widgets, or the table where there are none."""
        return {**self.box._repr_mimebundle_(), "text/html": self.counters.value}

    def close(self) -> None:
        """Take the widgets out of the notebook."""
        for widget in (self.figure, self.counters, self.state, *self.box.children, self.box):
            widget.close()


def place(trace: Any) -> tuple[str, str]:  # noqa: ANN401 - plotly's, or a part of its JSON
    """What tells a trace from any other: its name and axis."""
    return trace["name"], trace["yaxis"]
