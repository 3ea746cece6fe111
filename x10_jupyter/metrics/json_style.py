"""A report as JSON, with a version: for programs."""

import json
from typing import Any, get_args

from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics.facts import MetricFacts, Report
from x10_jupyter.metrics.instruments import Kind

FORMAT, VERSION = "x10.metrics", 1


def write(report: Report) -> str:
    """A report in this style; times are nanoseconds, sizes bytes."""
    metrics = {
        name: {
            "kind": facts.kind,
            "total_samples": facts.total,
            "sum": facts.sum,
            "value_rate": facts.value_rate,
            "rate": facts.rate,
            "percentiles": {repr(p): value for p, value in facts.percentiles.items()},
        }
        for name, facts in report.metrics.items()
    }
    return json.dumps({"format": FORMAT, "version": VERSION, "metrics": metrics, "counters": dict(report.counters)}, indent=1)


def read(text: str) -> Report:
    """What a report in this style says.

    Raises:
        UsageError: It is none.
    """
    try:
        found: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"Line {error.lineno} of a metrics report cannot be read: {error.msg}", got=repr(line(text, error.lineno))) from error
    head = found.get("format"), found.get("version")
    if head != (FORMAT, VERSION):
        raise UsageError(f"A metrics report in JSON has the format {FORMAT!r} and version {VERSION}", got=head)
    try:
        metrics: dict[str, Any] = found["metrics"]
        counters: dict[str, int] = found["counters"]
        return Report(metrics={name: facts_of(each) for name, each in metrics.items()}, counters={name: value + 0 for name, value in counters.items()})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError("A metrics report in JSON has metrics and counters with all their fields", got=f"{type(error).__name__}: {error}") from error


def facts_of(found: Any) -> MetricFacts:  # noqa: ANN401 - as JSON gives it
    """One metric."""
    if found["kind"] not in get_args(Kind):
        raise ValueError(found["kind"])
    percentiles: dict[str, float] = found["percentiles"]
    return MetricFacts(
        kind=found["kind"],
        total=int(found["total_samples"]),
        sum=found["sum"] + 0,
        value_rate=found["value_rate"],
        rate=found["rate"],
        percentiles={float(p): value + 0 for p, value in percentiles.items()},
    )


def line(text: str, number: int) -> str:
    """A line by its number, from 1."""
    return text.splitlines()[number - 1] if 0 < number <= len(text.splitlines()) else ""
