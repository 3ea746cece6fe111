"""What counts and what measures, and what each looks like at one moment."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["time", "bytes", "value"]
"""What a metric's samples are: nanoseconds, bytes, or plain numbers."""

Sample = tuple[int, int]
"""When it was taken (the end of what was measured, in nanoseconds), and its value."""

MOST_SAMPLES = 1024
"""Samples kept of a metric, the newest ones, as in X10."""


@dataclass(frozen=True, slots=True)
class CounterSnapshot:
    """A counter at one moment, or what it counted in a window."""

    name: str
    value: int

    def since(self, earlier: int) -> "CounterSnapshot":
        """What was counted since it had an earlier value."""
        return CounterSnapshot(self.name, self.value - earlier)


@dataclass(frozen=True, slots=True)
class MetricSnapshot:
    """A metric at one moment, or what it measured in a window."""

    name: str

    kind: Kind

    total: int
    """Samples ever taken."""

    sum: int
    """Of all samples ever taken."""

    samples: tuple[Sample, ...]
    """The newest ones, at most 1,024, in order."""

    def since(self, earlier: tuple[int, int]) -> "MetricSnapshot":
        """What was measured since the metric had an earlier total and sum."""
        total = self.total - earlier[0]
        return MetricSnapshot(self.name, self.kind, total, self.sum - earlier[1], self.samples[max(len(self.samples) - total, 0) :])


Snapshot = CounterSnapshot | MetricSnapshot


class Counter:
    """Counts."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Metric:
    """Sums up samples, and keeps the newest ones. Whoever adds sees to it that nobody else does at once."""

    __slots__ = ("kind", "samples", "sum", "total")

    def __init__(self, kind: Kind) -> None:
        self.kind: Kind = kind
        self.samples: deque[Sample] = deque(maxlen=MOST_SAMPLES)
        self.sum = 0
        self.total = 0

    def add(self, values: Sequence[int], ends_ns: Sequence[int]) -> None:
        """Take samples, in order.

        Args:
            values: Nanoseconds, bytes or numbers.
            ends_ns: When what was measured ended; of the last of them, as many as are kept.
        """
        amount = sum(values)
        self.total += len(values)
        self.sum += amount
        self.samples.extend(zip(ends_ns, values[-len(ends_ns) :], strict=True))

    def snapshot(self, name: str) -> MetricSnapshot:
        """What it has measured so far."""
        return MetricSnapshot(name, self.kind, self.total, self.sum, tuple(self.samples))
