"""Times two ways of doing the same, taking turns, so that a busy machine slows both."""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, kw_only=True)
class Pair:
    """What one measurement found, per operation or step."""

    ours_us: float
    """Median of our times in microseconds."""
    theirs_us: float
    """Median of their times in microseconds."""
    ratio: float
    """Median of the ratios of each pair."""


def seconds(run: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def tidy() -> None:
    """Have the allocator put together the small pieces that were freed, as it does at the next large request: else who comes next pays for them."""
    bytes(64 << 10)


def paired(ours: Callable[[], object], theirs: Callable[[], object], *, count: int, pairs: int = 15, settle: Callable[[], object] = lambda: None) -> Pair:
    """Time both by turns.

    Args:
        ours: What is measured.
        theirs: What it is compared with.
        count: Operations or steps in one call.
        pairs: How often each is called; each is called once before.
        settle: Called after each call, outside the time: waits until nothing runs any more.
    """
    ours(), settle(), theirs(), settle(), tidy()
    gc.collect()
    found = []
    for _ in range(pairs):
        mine = seconds(ours)
        settle(), tidy()
        other = seconds(theirs)
        settle(), tidy()
        found.append((mine, other))
    scale = 1e6 / count
    return Pair(
        ours_us=median(a for a, _ in found) * scale,
        theirs_us=median(b for _, b in found) * scale,
        ratio=median(a / b for a, b in found),
    )


def old_collections() -> int:
    """How many passes Python's collector has made over everything that is old."""
    return gc.get_stats()[2]["collections"]
