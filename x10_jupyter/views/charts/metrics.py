"""Metrics as charts: percentiles, and samples over time."""

from collections.abc import Callable, Sequence

from x10_jupyter.metrics.instruments import Kind, MetricSnapshot
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.metrics.registry import FIRST_NAMES
from x10_jupyter.views.charts.spec import Spec, plain, spec

UNITS: dict[Kind, tuple[str, str, float]] = {"time": ("time", "s", 1e9), "bytes": ("size", "B", 1), "value": ("number", "", 1)}
"""For each kind of metric what its axis says, the unit of its values, and by what they are divided for that."""

PALETTE = ("#4f86d9", "#e0703c", "#3fa66b", "#a56cc9", "#e0a33c", "#3aa7b0", "#d0527e", "#8d7a5f", "#7fbf6a", "#7b8ba5")
DASHES = ("solid", "dot", "dash", "longdash")
"""What tells metrics of one colour apart."""

Draw = Callable[[MetricSnapshot], Spec]
"""Makes a trace without name, colour and axes."""


def percentiles(metrics: Sequence[MetricSnapshot], fractions: Sequence[float]) -> Spec:
    """Percentiles of each metric, as X10 defines them: an element of the sorted samples. Metrics of one kind share an axis.

    Args:
        metrics: What was measured.
        fractions: Each above 0 and below 1, ascending.
    """
    return grid(metrics, [("percentile", lambda metric: percentile_trace(metric, fractions))], title="Percentiles of metrics")


def percentiles_and_samples(metrics: Sequence[MetricSnapshot], fractions: Sequence[float]) -> Spec:
    """Percentiles of each metric, and beside them its samples, over seconds since the first sample of all."""
    begin_ns = min((at_ns for metric in metrics for at_ns, _ in metric.samples), default=0)
    columns: list[tuple[str, Draw]] = [
        ("percentile", lambda metric: percentile_trace(metric, fractions)),
        ("seconds", lambda metric: sample_trace(metric, begin_ns)),
    ]
    return grid(metrics, columns, title="Percentiles of metrics, and their samples")


def percentile_trace(metric: MetricSnapshot, fractions: Sequence[float]) -> Spec:
    """The percentiles of a metric, with names for the fractions."""
    _, _, divisor = UNITS[metric.kind]
    found = quantiles([value for _, value in metric.samples], fractions)
    return {"type": "scatter", "mode": "lines+markers", "x": [f"{fraction * 100:g} %" for fraction in found], "y": [each / divisor for each in found.values()]}


def sample_trace(metric: MetricSnapshot, begin_ns: int) -> Spec:
    """The kept samples of a metric, by the seconds at which each was taken."""
    _, _, divisor = UNITS[metric.kind]
    x, y = [(at_ns - begin_ns) / 1e9 for at_ns, _ in metric.samples], [value / divisor for _, value in metric.samples]
    return {"type": "scatter", "mode": "markers", "marker": {"size": 4}, "x": x, "y": y}


def grid(metrics: Sequence[MetricSnapshot], columns: Sequence[tuple[str, Draw]], *, title: str) -> Spec:
    """A row of charts for each kind of metric, since their units differ.

    Args:
        metrics: What was measured.
        columns: Title of the axis below, and what draws a metric.
        title: Of the figure.
    """
    metrics = once(metrics)
    kinds: list[Kind] = [kind for kind in UNITS if any(metric.kind == kind for metric in metrics)]
    traces: list[Spec] = []
    axes: dict[str, Spec] = {}
    for row, kind in enumerate(kinds):
        shown = [metric for metric in metrics if metric.kind == kind]
        for column, (below, draw) in enumerate(columns):
            number = row * len(columns) + column + 1
            suffix = "" if number == 1 else str(number)
            drawn = [named(draw(metric), metric, metrics, suffix, is_first=column == 0) for metric in shown]
            traces += drawn
            values = [value for each in drawn for value in each["y"]]
            is_log = bool(values) and min(values) > 0
            axes[f"xaxis{suffix}"] = {
                "domain": part(column, len(columns)),
                "anchor": f"y{suffix}",
                "matches": f"x{column + 1 if column else ''}",
                "type": "category" if below == "percentile" else "linear",
                "title": {"text": below if row == len(kinds) - 1 else ""},
            }
            axes[f"yaxis{suffix}"] = {
                "domain": part(len(kinds) - 1 - row, len(kinds)),
                "anchor": f"x{suffix}",
                "title": {"text": UNITS[kind][0] if column == 0 else ""},
                "type": "log" if is_log else "linear",
                **(ticks(values) if is_log else {}),
                "tickformat": "~s",
                "ticksuffix": UNITS[kind][1],
            }
    return spec(traces, title=title, axes=axes, height=120 + 240 * max(len(kinds), 1))


def ticks(values: Sequence[float]) -> Spec:
    """Where a logarithmic axis has ticks: at 1, 2 and 5, or at powers of ten where that would be too many. Plotly would write all nine."""
    return {"dtick": "D2" if max(values) < 1000 * min(values) else 1}


def once(metrics: Sequence[MetricSnapshot]) -> list[MetricSnapshot]:
    """The metrics without those that are there under another name, too."""
    names = {metric.name for metric in metrics}
    return [metric for metric in metrics if (first := FIRST_NAMES.get(metric.name, metric.name)) == metric.name or first not in names]


def named(trace: Spec, metric: MetricSnapshot, metrics: Sequence[MetricSnapshot], suffix: str, *, is_first: bool) -> Spec:
    """A trace with its metric's name and colour, on its axes; a metric stands once in the legend, and is hidden there in all charts at once."""
    dash, colour = divmod(metrics.index(metric), len(PALETTE))
    name = plain(metric.name)
    look = {"line": {"color": PALETTE[colour], "dash": DASHES[dash % len(DASHES)]}, "marker": {**trace.get("marker", {}), "color": PALETTE[colour]}}
    return {
        **trace,
        **look,
        "name": name,
        "legendgroup": name,
        "showlegend": is_first,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "hovertemplate": f"{name}, %{{x}}: %{{y:.3~s}}{UNITS[metric.kind][1]}<extra></extra>",
    }


def part(number: int, of: int, gap: float = 0.09) -> list[float]:
    """Where the number-th of several charts begins and ends, as a share of all, with a gap between them."""
    length = (1 - gap * (of - 1)) / of
    begin = number * (length + gap)
    return [round(begin, 6), round(min(begin + length, 1), 6)]
