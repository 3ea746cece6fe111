"""What all charts have in common: the form of a figure, and a look that reads well on light and on dark."""

from collections.abc import Mapping, Sequence
from html import escape, unescape
from importlib import import_module
from typing import Any

from x10_jupyter.base.extras import imported
from x10_jupyter.views.theme import LINE

Spec = dict[str, Any]
"""A figure, or a part of one, as plotly's JSON has it: `data`, a list of traces, and `layout`."""

NOTHING = "rgba(0,0,0,0)"
TEXT = "#808080"
"""Readable on white and on near-black; a figure cannot take the page's own colour."""


def spec(traces: Sequence[Spec], *, title: str, axes: Mapping[str, Spec], **layout: object) -> Spec:
    """A figure.

    Args:
        traces: What it shows.
        title: One line.
        axes: By plotly's name of each, such as ``xaxis``.
        layout: More of plotly's layout.
    """
    look = {"gridcolor": "rgba(128,128,128,0.25)", "zerolinecolor": LINE, "linecolor": LINE, "automargin": True}
    return {
        "data": list(traces),
        "layout": {
            "title": {"text": plain(title), "x": 0, "xanchor": "left", "xref": "paper", "font": {"size": 14}},
            "paper_bgcolor": NOTHING,
            "plot_bgcolor": NOTHING,
            "font": {"color": TEXT},
            "margin": {"l": 60, "r": 20, "t": 50, "b": 50},
            "hovermode": "closest",
            **{name: {**look, **axis} for name, axis in axes.items()},
            **layout,
        },
    }


def plain(text: str) -> str:
    """Text for plotly, which would take what looks like HTML for that."""
    return escape(text, quote=False)


def figure(made: Spec, static: str = "") -> Any:  # noqa: ANN401 - plotly gives no types
    """A figure as plotly's own object.

    Args:
        made: What it is made of.
        static: The same facts as HTML, for where no plotly draws it; empty if there is none.

    Raises:
        MissingExtraError: plotly is not installed.
    """
    imported("plotly.graph_objects", extra="charts", what="A chart")
    return import_module("x10_jupyter.views.charts.figure").Chart(made).shown_as(static, unescape(made["layout"]["title"]["text"]))
