"""Reads a report of any style, published old ones included."""

import re
from collections.abc import Iterator, Sequence

from x10_jupyter.base.errors import UsageError
from x10_jupyter.metrics import json_style, openmetrics_style
from x10_jupyter.metrics.facts import MetricFacts, Number, Report
from x10_jupyter.metrics.instruments import Kind
from x10_jupyter.metrics.quantities import is_rounded, kind_of, size_of, time_of, value_of

BEFORE = re.compile(r"(?:.*\b)?Metrics:|\[MetricsData; step=\d+\]|Since .*:")
"""Lines that may stand before a report: of a log, of a metrics file, of ``%x10metrics``."""
FIELD = re.compile(r"  (?P<field>\w+):(?: (?P<value>.*))?")
SUMS = ("Accumulator", "Counter")
"""How the sum is called: the old name is the second."""
SKIPPED = ("Mean", "StdDev")
"""What a server's own metrics have besides; it follows from the sum, or cannot be told here."""
FIELDS = ("TotalSamples", *SUMS, "ValueRate", "Rate", "Percentiles", *SKIPPED)
PER_SECOND = " / second"


class Line:
    """A line and its number, from 1."""

    __slots__ = ("number", "text")

    def __init__(self, number: int, text: str) -> None:
        self.number, self.text = number, text

    def malformed(self, rule: str) -> UsageError:
        """The error that names it.

        Args:
            rule: What it breaks, as a statement.
        """
        return UsageError(f"Line {self.number} of a metrics report cannot be read: {rule}", got=repr(self.text))


class Block:
    """One metric or counter, as its lines are."""

    def __init__(self, head: Line) -> None:
        self.head = head
        label, _, self.name = head.text.partition(": ")
        self.is_metric = label == "Metric"
        self.fields: dict[str, tuple[str, Line]] = {}

    @property
    def what(self) -> str:
        """What it is."""
        return "metric" if self.is_metric else "counter"

    def value(self, *names: str) -> tuple[str, Line]:
        """A field under one of its names.

        Raises:
            UsageError: It is missing.
        """
        for name in names:
            if name in self.fields:
                return self.fields[name]
        raise self.head.malformed(f"a {self.what} has the field {' or '.join(names)}")


def parse_report(text: str) -> Report:
    """What a report says: of the style ``x10``, ``torch_xla``, ``json`` or ``openmetrics``.

    Reads what X10 and PyTorch/XLA write, or wrote: sums that are called ``Counter:``, microseconds without zeros before them, and times whose parts are
    rounded. If one of a report's times shows that they are, this is undone for all of them. Metrics of a server have their mean and deviation left out.

    Raises:
        UsageError: A line is none of a report; the error names it. Or it is no text.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] # whoever calls may not check types
        raise UsageError("A metrics report is given as text", got=f"an object of type {type(text).__name__}", fix="`metrics_report()` returns one.")
    start = text.lstrip()
    if start.startswith("{"):
        return json_style.read(text)
    if start.startswith("# "):
        return openmetrics_style.read(text)
    found = list(blocks([Line(number, row) for number, row in enumerate(text.splitlines(), 1)]))
    refuse_twice(found)
    rounded = any(shows_rounding(block) for block in found if block.is_metric)
    return Report(
        metrics={block.name: metric(block, rounded=rounded) for block in found if block.is_metric},
        counters={block.name: counter(block) for block in found if not block.is_metric},
    )


def blocks(rows: Sequence[Line]) -> Iterator[Block]:
    """The metrics and counters of a report."""
    block: Block | None = None
    for row in rows:
        if not row.text.strip():
            continue
        if row.text.startswith(("Metric: ", "Counter: ")):
            if block is not None:
                yield block
            block = Block(row)
        elif block is not None:
            add_field(block, row)
        elif not BEFORE.fullmatch(row.text):
            raise row.malformed("a report begins with `Metric: NAME` or `Counter: NAME`")
    if block is not None:
        yield block


def refuse_twice(found: Sequence[Block]) -> None:
    """Raise if a name comes twice."""
    seen: set[tuple[bool, str]] = set()
    for block in found:
        if (block.is_metric, block.name) in seen:
            raise block.head.malformed("a report has each name once; of several reports, such as those of a metrics file, give one")
        seen.add((block.is_metric, block.name))


def add_field(block: Block, row: Line) -> None:
    """Give a field to its metric or counter."""
    found = FIELD.fullmatch(row.text)
    allowed = FIELDS if block.is_metric else ("Value",)
    if found is None or found["field"] not in allowed:
        raise row.malformed(f"a line of a {block.what} is one of {', '.join(allowed)}, with two blanks before it")
    if found["field"] in block.fields:
        raise row.malformed(f"a {block.what} has each field once")
    block.fields[found["field"]] = found["value"] or "", row


def counter(block: Block) -> int:
    """A counter's value."""
    text, row = block.value("Value")
    if not re.fullmatch(r"-?\d+", text):
        raise row.malformed("the value of a counter is a whole number")
    return int(text)


def metric(block: Block, *, rounded: bool) -> MetricFacts:
    """A metric."""
    total, row = block.value("TotalSamples")
    if not total.isdecimal():
        raise row.malformed("the number of samples is a whole number")
    text, row = block.value(*SUMS)
    kind = kind_of(text)
    if kind is None:
        raise row.malformed("a sum is a time such as 001ms032.778us, a size such as 468.00MB, or a number")
    rate = block.fields.get("Rate")
    value_rate = block.fields.get("ValueRate")
    return MetricFacts(
        kind=kind,
        total=int(total),
        sum=quantity(kind, text, row, rounded=rounded),
        value_rate=None if value_rate is None else float(quantity(kind, per_second(*value_rate), value_rate[1], rounded=rounded)),
        rate=None if rate is None else float(quantity("value", per_second(*rate), rate[1])),
        percentiles=dict(percentiles(block, kind, rounded=rounded)),
    )


def per_second(text: str, row: Line) -> str:
    """A rate without its unit."""
    if not text.endswith(PER_SECOND):
        raise row.malformed(f"a rate ends with `{PER_SECOND}`")
    return text.removesuffix(PER_SECOND)


def quantity(kind: Kind, text: str, row: Line, *, rounded: bool = False) -> Number:
    """A value of a line."""
    try:
        return time_of(text, rounded=rounded) if kind == "time" else size_of(text) if kind == "bytes" else value_of(text)
    except ValueError:
        what = {"time": "a time such as 001ms032.778us", "bytes": "a size such as 468.00MB", "value": "a number"}[kind]
        raise row.malformed(f"a value of this metric is {what}, and {text} is none") from None


def percentiles(block: Block, kind: Kind, *, rounded: bool) -> Iterator[tuple[float, Number]]:
    """The percentiles of a metric, by fraction."""
    text, row = block.fields.get("Percentiles", ("", block.head))
    for part in text.split("; ") if text else ():
        label, equals, value = part.partition("=")
        try:
            fraction = round(float(label.removesuffix("%")) / 100, 12)
        except ValueError:
            fraction = -1
        if not equals or not label.endswith("%") or not 0 <= fraction <= 1:
            raise row.malformed("percentiles are like `1%=001ms032.778us; 50%=002ms000.000us`")
        yield fraction, quantity(kind, value, row, rounded=rounded)


def shows_rounding(block: Block) -> bool:
    """Whether one of a metric's times can only have come about by rounding: its parts are too large, or sorted percentiles fall."""
    texts = [text.removesuffix(PER_SECOND) for name, (text, _) in block.fields.items() if name in (*SUMS, "ValueRate")]
    sorted_texts = [part.partition("=")[2] for part in block.fields.get("Percentiles", ("", block.head))[0].split("; ")]
    times = [text for text in texts + sorted_texts if kind_of(text) == "time"]
    falling = [time_of(text) for text in sorted_texts if kind_of(text) == "time"]
    return any(map(is_rounded, times)) or falling != sorted(falling)
