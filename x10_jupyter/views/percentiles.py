"""Percentiles of metrics as small charts in a table that says the same in numbers."""

from collections.abc import Callable, Iterable, Mapping

from x10_jupyter.base.units import count, duration, size
from x10_jupyter.metrics.instruments import Kind, MetricSnapshot, Snapshot
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.metrics.registry import FIRST_NAMES
from x10_jupyter.views.axis import axis
from x10_jupyter.views.markup import Markup, element, folded, join, readings, table
from x10_jupyter.views.phrases import FRACTIONS, percent
from x10_jupyter.views.svg import picture, shape
from x10_jupyter.views.theme import COLOURS, INK, QUIET

WIDTH, HEIGHT, EDGE = 116, 22, 2
"""Pixels of a chart, and what stays free around it."""


def plain(value: float) -> str:
    """A plain number."""
    return f"{value:,.0f}"


TEXTS: Mapping[Kind, Callable[[int], str]] = {"time": duration, "bytes": size, "value": plain}


def percentiles(metrics: Mapping[str, Snapshot]) -> Markup:
    """The whole section, a row for each metric that measured something; nothing if none did. Of several names for the same only the first is shown."""
    measured = [one for name, one in metrics.items() if isinstance(one, MetricSnapshot) and one.total and FIRST_NAMES.get(name, name) == name]
    if not measured:
        return Markup()
    made = table([row(one) for one in measured], header=["metric", "percentiles"], align={}, wraps={0: "8em"})
    notes = [element("div", note, opacity=QUIET) for note in kept(measured)]
    return folded(f"Metrics: percentiles of {count(len(measured), 'metric')}", made, *notes)


def row(metric: MetricSnapshot) -> list[str]:
    """One metric: how many samples, their sum, and the percentiles as a picture and as text."""
    text = TEXTS[metric.kind]
    found = quantiles([value for _, value in metric.samples], FRACTIONS)
    told = {percent(fraction): text(value) for fraction, value in found.items()}
    return [join(element("div", metric.name), chart(found, metric)), readings({**told, "sum": text(metric.sum), "samples": f"{metric.total:,}"})]


def kept(metrics: Iterable[MetricSnapshot]) -> list[str]:
    """That percentiles are those of the newest samples, where there were more."""
    thinned = [one for one in metrics if len(one.samples) < one.total]
    return [f"Percentiles of {', '.join(one.name for one in thinned)} are those of the newest {len(thinned[0].samples):,} samples."] if thinned else []


def chart(found: Mapping[float, int], metric: MetricSnapshot) -> Markup:
    """A curve through percentiles from left to right, with a line from the median down; upwards are larger values, from 0 or by powers of ten.

    Args:
        found: Values by fraction, ascending.
        metric: What they are percentiles of.
    """
    scale = axis(list(found.values()))
    places = {p: (EDGE + p * (WIDTH - 2 * EDGE), HEIGHT - EDGE - scale.at(value) * (HEIGHT - 2 * EDGE)) for p, value in found.items()}
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places.values())
    shapes = [
        shape("path", d=f"M0 {HEIGHT - 0.5}H{WIDTH}", stroke=INK, stroke_opacity="0.5"),
        *[shape("path", d=f"M{x:.1f} {HEIGHT}V{y:.1f}", stroke=INK) for x, y in [places[0.5]]],
        shape("path", d=f"M{line}", fill="none", stroke=COLOURS["trace"], stroke_width=1.5),
    ]
    how = "logarithmic" if scale.is_log else "from 0"
    return picture(WIDTH, HEIGHT, *shapes, alt=f"Percentiles of {metric.name}, {how}")
