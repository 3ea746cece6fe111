"""Where the time went."""

from x10_jupyter.base.units import duration, share
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.charts.spec import Spec, spec
from x10_jupyter.views.phrases import shares
from x10_jupyter.views.theme import COLOURS


def time_split(capture: Capture) -> Spec:
    """Seconds by name, the longest first; together they are the wall time."""
    found = shares(capture)
    trace = {
        "type": "bar",
        "orientation": "h",
        "y": [name for name, _ in found],
        "x": [ns / 1e9 for _, ns in found],
        "marker": {"color": [COLOURS[name] for name, _ in found]},
        "text": [f"{duration(ns)}, {share(ns / capture.wall_ns)}" for _, ns in found],
        "hoverinfo": "y+text",
    }
    axes = {"xaxis": {"ticksuffix": "s", "tickformat": "~s"}, "yaxis": {"autorange": "reversed", "showgrid": False}}
    return spec([trace], height=120 + 30 * len(found), title=f"Where {duration(capture.wall_ns)} went", axes=axes)
