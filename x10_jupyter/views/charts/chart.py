"""Which charts of a capture there are."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.instruments import MetricSnapshot, Snapshot
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.charts.compiles import compiles
from x10_jupyter.views.charts.memory import memory
from x10_jupyter.views.charts.metrics import percentiles
from x10_jupyter.views.charts.spec import Spec, figure
from x10_jupyter.views.charts.steps import steps
from x10_jupyter.views.charts.time_split import time_split
from x10_jupyter.views.compiled import compiled
from x10_jupyter.views.held import held
from x10_jupyter.views.markup import element
from x10_jupyter.views.percentiles import percentiles as percentile_table
from x10_jupyter.views.phrases import UNSTEPPED
from x10_jupyter.views.stepped import steps as step_section
from x10_jupyter.views.timebar import timebar

CHARTS: dict[str, Callable[[Capture], Spec]] = {"steps": steps, "time": time_split, "compiles": compiles, "memory": memory}
STATIC: dict[str, Callable[[Capture], str]] = {
    "steps": lambda capture: step_section(capture.steps) or element("div", f"No steps: {UNSTEPPED}"),
    "time": timebar,
    "compiles": compiled,
    "memory": held,
}
"""The same facts where no plotly draws them."""
KINDS = ("percentiles", *CHARTS)


def chart(capture: Capture, kind: str, *, metrics: Iterable[Snapshot], fractions: Sequence[float]) -> Any:  # noqa: ANN401 - plotly gives no types
    """A capture as a figure of plotly.

    Args:
        capture: It.
        kind: One of `KINDS`.
        metrics: What was counted and measured in the capture.
        fractions: Those of percentiles.

    Raises:
        UsageError: There is no such kind, or the capture does not hold what it shows.
        MissingExtraError: plotly is not installed.
    """
    if kind not in KINDS:
        near = get_close_matches(kind, KINDS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "Take one of these."
        raise UsageError(f"A chart is one of {', '.join(KINDS)}", got=kind, fix=hint)
    if kind == "percentiles":
        measured = [one for one in metrics if isinstance(one, MetricSnapshot)]
        return figure(percentiles(measured, fractions), percentile_table({one.name: one for one in measured}))
    return figure(CHARTS[kind](capture), STATIC[kind](capture))
