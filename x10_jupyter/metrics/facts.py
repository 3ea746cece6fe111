"""What a report says, apart from how it is written: a style writes it, a parser reads it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from x10_jupyter.metrics.instruments import CounterSnapshot, Kind, MetricSnapshot, Snapshot
from x10_jupyter.metrics.quantiles import quantiles

Number = int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFacts:
    """What a report says of one metric. Times are nanoseconds."""

    kind: Kind

    total: int
    """Samples ever taken."""

    sum: Number
    """Of all samples ever taken."""

    value_rate: float | None
    """Sum of the kept samples by the time between the first and the last of them, for each second; None if they span no time."""

    rate: float | None
    """Number of the kept samples by the same time, for each second; None if they span no time."""

    percentiles: Mapping[float, Number]
    """Of the kept samples, by fraction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a report says."""

    metrics: Mapping[str, MetricFacts] = field(default_factory=dict[str, MetricFacts])
    """By name, in order of names."""

    counters: Mapping[str, int] = field(default_factory=dict[str, int])
    """By name, in order of names."""

    def only(self, patterns: Sequence[str]) -> "Report":
        """The same report with nothing but the names that match one of some patterns, such as ``Compile*``."""
        return Report(
            metrics={name: facts for name, facts in self.metrics.items() if fits(name, patterns)},
            counters={name: value for name, value in self.counters.items() if fits(name, patterns)},
        )


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name matches one of some patterns, such as ``Compile*``."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def facts_of(metric: MetricSnapshot, fractions: Sequence[float]) -> MetricFacts:
    """What a report says of a metric.

    Args:
        metric: It.
        fractions: Those of its percentiles.
    """
    values = [value for _, value in metric.samples]
    span_ns = metric.samples[-1][0] - metric.samples[0][0] if metric.samples else 0
    return MetricFacts(
        kind=metric.kind,
        total=metric.total,
        sum=metric.sum,
        value_rate=sum(values) * 1e9 / span_ns if span_ns > 0 else None,
        rate=len(values) * 1e9 / span_ns if span_ns > 0 else None,
        percentiles=quantiles(values, fractions),
    )


def report_of(snapshots: Iterable[Snapshot], fractions: Sequence[float]) -> Report:
    """What a report says of some instruments; those that have counted nothing are left out.

    Args:
        snapshots: The instruments.
        fractions: Those of percentiles.
    """
    ordered = sorted(snapshots, key=lambda one: one.name)
    return Report(
        metrics={one.name: facts_of(one, fractions) for one in ordered if isinstance(one, MetricSnapshot) and one.total},
        counters={one.name: one.value for one in ordered if isinstance(one, CounterSnapshot) and one.value},
    )
