"""What differs between two reports."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from x10_jupyter.metrics.facts import MetricFacts, Number, Report
from x10_jupyter.metrics.parse import parse_report
from x10_jupyter.metrics.quantities import TEXTS
from x10_jupyter.metrics.text_style import one_line, percent


class Change(NamedTuple):
    """One value that is another in the second report."""

    name: str
    """Of the metric or counter."""

    what: str
    """``TotalSamples``, ``Sum``, ``Rate``, ``50%``, … of a metric; ``Value`` of a counter."""

    old: Number | None
    """None if the first report does not have it."""

    new: Number | None
    """None if the second report does not have it."""

    text: str
    """Both, as a report writes them."""

    @property
    def ratio(self) -> float | None:
        """The new value by the old one; None if one of them is missing, or the old one is zero."""
        return self.new / self.old if self.old and self.new is not None else None

    def __str__(self) -> str:
        ratio = self.ratio
        return self.text if ratio is None else f"{self.text} ({ratio - 1:+.1%})"


class Comparison(tuple[Change, ...]):
    """All changes, in order of names; shows itself as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        if not self:
            return "Nothing has changed."
        rows = [(one_line(each.name), each.what, str(each)) for each in self]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        names = [row[0] if i == 0 or rows[i - 1][0] != row[0] else "" for i, row in enumerate(rows)]
        return "\n".join(f"{name:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}" for name, row in zip(names, rows, strict=True))

    __repr__ = __str__


def compare_reports(a: "str | Report", b: "str | Report") -> Comparison:
    """What has changed from one report to another.

    Args:
        a: The earlier one: its text in any style, or what `parse_report` made of it.
        b: The later one.

    Returns:
        The changes: a tuple that shows itself as a table.

    Raises:
        UsageError: A line of a text is none of a report.
    """
    old, new = [each if isinstance(each, Report) else parse_report(each) for each in (a, b)]
    found: list[Change] = []
    for name in sorted({*old.metrics, *new.metrics}):
        found += metric_changes(name, old.metrics.get(name), new.metrics.get(name))
    for name in sorted({*old.counters, *new.counters}):
        found += change(name, "Value", old.counters.get(name), new.counters.get(name), str)
    return Comparison(found)


def metric_changes(name: str, old: MetricFacts | None, new: MetricFacts | None) -> Iterator[Change]:
    """What has changed of one metric; of one that only one report has, no more than how often and how much."""
    facts = new or old
    text = TEXTS[facts.kind] if facts is not None else str
    yield from change(name, "TotalSamples", old and old.total, new and new.total, str)
    yield from change(name, "Sum", old and old.sum, new and new.sum, text)
    if old is None or new is None:
        return
    yield from change(name, "ValueRate", old.value_rate, new.value_rate, text)
    yield from change(name, "Rate", old.rate, new.rate, lambda rate: f"{rate:g}")
    for p in sorted({*old.percentiles, *new.percentiles}):
        yield from change(name, percent(p), old.percentiles.get(p), new.percentiles.get(p), text)


def change(name: str, what: str, old: Number | None, new: Number | None, text: Callable[[Number], str]) -> Iterator[Change]:
    """One value, if it has changed."""
    if old != new:
        texts = ["—" if value is None else text(value) for value in (old, new)]
        yield Change(name, what, old, new, " → ".join(texts))
