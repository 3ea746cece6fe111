"""Where an axis has its ticks, and what stands there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

WIDE = 50
"""From this ratio of the largest to the middle value on the axis is logarithmic; on a linear one the middle would be less than two of 100 pixels."""

FACTORS = 1, 2, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """From values to a share of the axis' length."""

    low: float
    """The value at its beginning: 0 on a linear axis."""

    high: float
    """The value at its end."""

    is_log: bool

    ticks: tuple[float, ...]
    """Values at which something stands, ascending."""

    def at(self, value: float) -> float:
        """Where a value lies: 0 at the beginning, 1 at the end, and what is beyond either there."""
        if self.is_log:
            place = log10(max(value, self.low) / self.low) / log10(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)


def axis(values: Sequence[float]) -> Axis:
    """An axis for values from 0; logarithmic where some are much larger than the middle one.

    Args:
        values: At least one, in any order.
    """
    ordered = sorted(values)
    middle, high = ordered[len(ordered) // 2], ordered[-1]
    positive = next((value for value in ordered if value > 0), 1)
    if high > WIDE * middle and high > 10 * positive:
        return logarithmic(positive, high)
    return linear(high)


def linear(high: float) -> Axis:
    """From 0 to a value, with three to five ticks."""
    high = high or 1
    size = next(size for size in sizes(high / 5) if high / size <= 5)
    return Axis(low=0, high=high, is_log=False, ticks=tuple(size * which for which in range(floor(high / size) + 1)))


def sizes(least: float) -> list[float]:
    """1, 2 and 5 of each power of ten around a value, ascending."""
    power = floor(log10(least))
    return [factor * 10.0**exponent for exponent in (power, power + 1) for factor in FACTORS]


def logarithmic(low: float, high: float) -> Axis:
    """From the power of ten below a value to another value, with a tick at each power, or at some if there are many."""
    first, last = floor(log10(low)), floor(log10(high))
    every = ceil((last - first + 1) / 5)
    return Axis(low=10.0**first, high=high, is_log=True, ticks=tuple(10.0**power for power in range(first, last + 1, every)))


def tick_text(value: float, text: Callable[[float], str]) -> str:
    """A round value with its unit, and without the zeros that tell how exact it is: ``20 ms`` for ``20.0 ms``."""
    figure, blank, unit = text(value).partition(" ")
    return f"{figure.rstrip('0').rstrip('.') if '.' in figure else figure}{blank}{unit}" if value else "0"
