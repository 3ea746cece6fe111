"""When was compiled what, how long it took, and why."""

from x10_jupyter.base.units import duration
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import from_event
from x10_jupyter.records.events import Compiled
from x10_jupyter.views.charts.spec import Spec, plain, spec
from x10_jupyter.views.phrases import cause_at, shorten

PALETTE = ("#4f86d9", "#e0703c", "#3fa66b", "#a56cc9", "#e0a33c", "#3aa7b0", "#d0527e", "#8d7a5f")
"""Kinds of causes in the order in which they first appear; the ninth begins anew."""


def compiles(capture: Capture) -> Spec:
    """A bar for each compile, from its start to its end in seconds since the capture began, in a row for each function; one trace for each kind of cause."""
    events = [event for event in capture.events if isinstance(event, Compiled)]
    kinds = list(dict.fromkeys(event.cause.kind for event in events))
    traces = [trace(kind, PALETTE[place % len(PALETTE)], [event for event in events if event.cause.kind == kind], capture) for place, kind in enumerate(kinds)]
    rows = list(dict.fromkeys(row_of(event) for event in events))
    axes = {
        "xaxis": {"title": {"text": "since the beginning"}, "ticksuffix": "s", "tickformat": "~s", "range": [0, capture.wall_ns / 1e9]},
        "yaxis": {"type": "category", "showgrid": False, "categoryorder": "array", "categoryarray": rows[::-1]},
    }
    title = f"{len(events):,} compiles, {duration(capture.compile_ns)} of {duration(capture.wall_ns)}, by cause"
    return spec(traces, title=title, axes=axes, height=130 + 40 * max(len(rows), 1), barmode="overlay", showlegend=True)


def trace(kind: str, colour: str, events: list[Compiled], capture: Capture) -> Spec:
    """The compiles that have one kind of cause."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": "first time" if kind == "first" else kind.replace("_", " "),
        "base": [(event.start_ns - capture.start_ns) / 1e9 for event in events],
        "x": [(event.end_ns - event.start_ns) / 1e9 for event in events],
        "y": [row_of(event) for event in events],
        "marker": {"color": colour, "line": {"width": 0}},
        "text": [plain(f"{shorten(event.function)}, {duration(event.end_ns - event.start_ns)}: {cause_at(from_event(event))}") for event in events],
        "textposition": "none",
        "hoverinfo": "text",
    }


def row_of(event: Compiled) -> str:
    """What stands in the margin."""
    return plain(shorten(event.function))
