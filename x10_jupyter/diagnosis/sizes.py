"""Which compile was that of a large program, and what compiling costs by size."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.process_events import Sized


def sized(capture: Capture) -> list[tuple[Compile, Sized]]:
    """The compiles of programs that are large or hold much data, with what was told of them before they began."""
    known = defaultdict[tuple[int, str], list[Sized]](list)
    for event in capture.kinds.of(Sized):
        known[event.thread, event.function].append(event)
    found: list[tuple[Compile, Sized]] = []
    for one in capture.compiles:
        events = known.get((one.thread, one.function), [])
        at = bisect_left(events, one.start_ns, key=lambda event: event.start_ns)
        if at < len(events) and events[at].start_ns <= one.end_ns:
            found.append((one, events[at]))
    return found


def per_thousand(pairs: Iterable[tuple[Compile, Sized]]) -> float | None:
    """Seconds that XLA took for each thousand operations, by what was compiled so far; None if that is nothing, or all was read from a cache.

    Args:
        pairs: Compiles with their size.
    """
    made = [(one, event) for one, event in pairs if one.cache != "hit" and event.ops]
    ops = sum(event.ops for _, event in made)
    return sum(one.seconds for one, _ in made) / ops * 1_000 if ops else None
