"""Percentiles as X10 defines them: an element of the sorted samples, nothing in between."""

from collections.abc import Iterable, Sequence


def quantiles(values: Iterable[int], fractions: Sequence[float]) -> dict[float, int]:
    """For each fraction p the element of number floor(p · n) of the n values in ascending order; nothing if there are no values.

    Args:
        values: In any order.
        fractions: Each above 0 and below 1.
    """
    ordered = sorted(values)
    return {p: ordered[int(p * len(ordered))] for p in fractions} if ordered else {}
