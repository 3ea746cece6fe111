"""The layout of X10's report, which PyTorch/XLA shares, but for the label of the sum."""

from collections.abc import Iterator

from x10_jupyter.metrics.facts import MetricFacts, Report
from x10_jupyter.metrics.quantities import TEXTS


def lines(report: Report, *, sum_label: str) -> str:
    """A report in this layout: metrics, then counters, each in order of names.

    Args:
        report: What it says.
        sum_label: What the sum of all samples is called.
    """
    found: list[str] = []
    for name, facts in sorted(report.metrics.items()):
        found += [f"Metric: {one_line(name)}", *metric_lines(facts, sum_label)]
    for name, value in sorted(report.counters.items()):
        found += [f"Counter: {one_line(name)}", f"  Value: {value}"]
    return "\n".join(found)


def metric_lines(facts: MetricFacts, sum_label: str) -> Iterator[str]:
    """The lines of one metric below its name."""
    text = TEXTS[facts.kind]
    yield f"  TotalSamples: {facts.total}"
    yield f"  {sum_label}: {text(facts.sum)}"
    if facts.value_rate is not None:
        yield f"  ValueRate: {text(facts.value_rate)} / second"
    if facts.rate is not None:
        yield f"  Rate: {facts.rate:g} / second"
    yield f"  Percentiles: {'; '.join(f'{percent(p)}={text(value)}' for p, value in facts.percentiles.items())}"


def percent(fraction: float) -> str:
    """A fraction as the report writes it: ``1%``, ``99.9%``."""
    return f"{fraction * 100:g}%"


def one_line(name: str) -> str:
    """A name as it is, unless it would break the layout: a user's function may be called anything."""
    return name if name.isprintable() and name.strip() == name and name else ascii(name)
