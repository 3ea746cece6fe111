"""The metrics of this process, as users ask for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from x10_jupyter.base.clock import WallClock
from x10_jupyter.base.config import config
from x10_jupyter.base.shown import shown
from x10_jupyter.lazy.producer import CLOCK, settle
from x10_jupyter.metrics.facts import Report, fits, report_of
from x10_jupyter.metrics.instruments import CounterSnapshot, MetricSnapshot, Snapshot
from x10_jupyter.metrics.registry import Mark
from x10_jupyter.metrics.styles import written
from x10_jupyter.session.resident import REGISTRY
from x10_jupyter.views.charts.metrics import percentiles_and_samples
from x10_jupyter.views.charts.spec import figure
from x10_jupyter.views.percentiles import percentiles

EPOCH_NS = WallClock().now_ns() - CLOCK.now_ns()
"""What turns a time of events into one since 1970."""


def snapshot(mark: Mark | None = None) -> dict[str, Snapshot]:
    """All counters and metrics as they are now, by name.

    Args:
        mark: A moment, for what has happened since; None for everything.
    """
    settle()
    return REGISTRY.snapshot() if mark is None else REGISTRY.since(mark)


def moment() -> Mark:
    """This moment, to tell later what has happened since."""
    settle()
    return REGISTRY.mark()


def snapshots(patterns: Sequence[str] = (), mark: Mark | None = None) -> dict[str, Snapshot]:
    """Counters and metrics that have counted something, by name.

    Args:
        patterns: Only names that match one of these, such as ``Compile*``; all if there are none.
        mark: A moment, for what has happened since; None for everything.
    """
    found = snapshot(mark)
    is_something = {name: one.value if isinstance(one, CounterSnapshot) else one.total for name, one in found.items()}
    return {name: one for name, one in found.items() if is_something[name] and (not patterns or fits(name, patterns))}


def report(mark: Mark | None = None) -> Report:
    """What a report says now.

    Args:
        mark: A moment, for what has happened since; None for everything.
    """
    return report_of(snapshot(mark).values(), config.now.metrics_percentiles)


def was_cleared_since(mark: Mark) -> bool:
    """Whether `clear_metrics` was called after a moment, so that a report of what has happened since begins there."""
    return mark.generation != REGISTRY.generation


def chart(found: Mapping[str, Snapshot]) -> Any:  # noqa: ANN401 - plotly gives no types
    """Percentiles and samples of metrics as a figure of plotly.

    Args:
        found: By name; counters are left out.

    Raises:
        MissingExtraError: plotly is not installed.
    """
    metrics = [one for one in found.values() if isinstance(one, MetricSnapshot)]
    return figure(percentiles_and_samples(metrics, config.now.metrics_percentiles), percentiles(found))


def metrics_report(style: str = "x10") -> str:
    """All counters and metrics of this process, as text. It has what has moved since the process began, or since `clear_metrics`.

    Args:
        style: ``x10``, as X10's troubleshooting page shows it; ``torch_xla``, as PyTorch/XLA prints it; ``json``; ``openmetrics``, which Prometheus reads.

    Raises:
        UsageError: There is no such style.
    """
    return written(report(), style)


def print_x10_metrics() -> None:
    """Log the report at level INFO, as X10 does, on the logger ``x10_jupyter.metrics``. It appears below the cell, unless logging is configured otherwise."""
    report = metrics_report()
    with shown("x10_jupyter.metrics") as logger:
        logger.info("Metrics:\n%s", report)


PrintX10Metrics = print_x10_metrics


def metric_names() -> list[str]:
    """The metrics that have a sample, in order of names."""
    return [name for name, one in snapshot().items() if isinstance(one, MetricSnapshot)]


def counter_names() -> list[str]:
    """The counters that have counted something, in order of names."""
    return [name for name, one in snapshot().items() if isinstance(one, CounterSnapshot)]


def metric_data(name: str) -> tuple[int, float, list[tuple[float, float]]] | None:
    """A metric as PyTorch/XLA gives it; None if it has no sample.

    Args:
        name: Its name.

    Returns:
        How many samples were ever taken, their sum, and the last 1,024 of them: when each was taken, in seconds since 1970, and its value. Times are
        nanoseconds, sizes bytes.
    """
    one = snapshot().get(name)
    if not isinstance(one, MetricSnapshot):
        return None
    return one.total, float(one.sum), [((EPOCH_NS + end_ns) / 1e9, float(value)) for end_ns, value in one.samples]


def counter_value(name: str) -> int | None:
    """What a counter has counted; None if that is nothing."""
    one = snapshot().get(name)
    return one.value if isinstance(one, CounterSnapshot) else None


def clear_metrics() -> None:
    """Begin anew with all counters and metrics."""
    settle()
    REGISTRY.clear()
