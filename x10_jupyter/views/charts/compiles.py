"""When was compiled what, how long it took, and why."""

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.words import cause_at, shorten
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Kind
from x10_jupyter.records.compile import Compile
from x10_jupyter.views.charts.spec import Spec, plain, spec

PALETTE = ("#4f86d9", "#e0703c", "#3fa66b", "#a56cc9", "#e0a33c", "#3aa7b0", "#d0527e", "#8d7a5f")
"""Kinds of causes in the order in which they first appear; the ninth begins anew."""


def compiles(capture: Capture) -> Spec:
    """A bar for each compile, from its start to its end in seconds since the capture began, in a row for each function; one trace for each kind of cause."""
    kinds: list[Kind] = list(dict.fromkeys(one.cause.kind for one in capture.compiles))
    traces = [bars(kind, PALETTE[place % len(PALETTE)], capture) for place, kind in enumerate(kinds)]
    rows = list(dict.fromkeys(row_of(one) for one in capture.compiles))
    axes = {
        "xaxis": {"title": {"text": "since the beginning"}, "ticksuffix": "s", "tickformat": "~s", "range": [0, capture.wall_ns / 1e9]},
        "yaxis": {"type": "category", "showgrid": False, "categoryorder": "array", "categoryarray": rows[::-1]},
    }
    title = f"{count(len(capture.compiles), 'compile')}, {duration(capture.compile_ns)} of {duration(capture.wall_ns)}, by cause"
    return spec(traces, title=title, axes=axes, height=130 + 40 * max(len(rows), 1), barmode="overlay", showlegend=True)


def bars(kind: Kind, colour: str, capture: Capture) -> Spec:
    """The compiles that have one kind of cause."""
    shown = [one for one in capture.compiles if one.cause.kind == kind]
    return {
        "type": "bar",
        "orientation": "h",
        "name": "first time" if kind == "first" else kind.replace("_", " "),
        "base": [(one.start_ns - capture.start_ns) / 1e9 for one in shown],
        "x": [(one.end_ns - one.start_ns) / 1e9 for one in shown],
        "y": [row_of(one) for one in shown],
        "marker": {"color": colour, "line": {"width": 0}},
        "text": [plain(f"{shorten(one.function)}, {duration(one.seconds * 1e9)}: {cause_at(one)}") for one in shown],
        "textposition": "none",
        "hoverinfo": "text",
    }


def row_of(one: Compile) -> str:
    """What stands in the margin."""
    return plain(shorten(one.function))
