"""How long a device stood still after a read, and so what it would save not to read there.

After a read for which Python waited, the device has nothing to do until the next program is launched. Without it that program had begun at once, and
the next wait would have been shorter by this gap, if it was as long. When ordinary JAX launches a program nobody tells; so the gap is at most the time
up to the next wait, less what the device is known to have worked in it. Of lazy tensors all launches are known, and so is when the device rests. A read
that nothing follows, as at the end of a cell, costs only its copy.
"""

from collections import Counter
from itertools import pairwise

import numpy as np

from x10_jupyter.diagnosis.spent import MAKING
from x10_jupyter.records.accounting import TimeName, device
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Executed
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import sweep

WORTH_NS = 20_000
"""A wait from which on it is one: less takes a value that is there."""

MOST_NS = 10_000_000
"""A gap on a device of which nothing is known counts up to here. A step is launched sooner after the one before; what takes longer is many of them, as in an
epoch, in which the device works."""

NOT_IDLE: tuple[TimeName, ...] = (*MAKING, "execute", "drain")
"""What the thread does for which the device would have waited without a read, too, or works."""

RESTING, WORKING = "resting", "working"

Place = tuple[str, Site | None]
"""What was read by, and where."""


def saved_by(capture: Capture, *, is_jax: bool) -> Counter[Place]:
    """Nanoseconds that would be saved without the reads of a place, at most; of the events that a capture holds.

    Args:
        capture: It.
        is_jax: Whether those of ordinary JAX's arrays are meant, or those of lazy tensors.
    """
    told = [event for event in capture.kinds.of(Read) if event.is_jax is is_jax and event.thread == capture.thread and event.end_ns > capture.detailed_from_ns]
    reads = sorted(told, key=lambda event: event.start_ns)
    return by_ordinary(capture, reads) if is_jax else by_tensors(capture, reads)


def by_tensors(capture: Capture, reads: list[Read]) -> Counter[Place]:
    """The same of reads of lazy tensors, in order: the time without work for the device, from each to the next or to the last launch."""
    launches = capture.kinds.spans(Executed)[:, 0]
    waits_ns = capture.timeline.table([event.start_ns for event in reads], [event.end_ns for event in reads], ("execute",))[:, 0].tolist()
    waiting = [(event, wait_ns) for event, wait_ns in zip(reads, waits_ns, strict=True) if wait_ns >= WORTH_NS]
    if not waiting or not len(launches):
        return Counter()
    until_ns = int(launches.max())
    starts = [event.end_ns for event, _ in waiting]
    ends = [max(start, min(next_ns, until_ns)) for start, next_ns in zip(starts, [*[event.start_ns for event, _ in waiting[1:]], until_ns], strict=True)]
    making = capture.timeline.pieces([name for name in MAKING if name != "trace"])
    resting = sweep(capture.start_ns, capture.end_ns, [(WORKING, np.concatenate([device(capture.kinds), making]))], rest=RESTING)
    found = Counter[Place]()
    for (event, wait_ns), idle_ns in zip(waiting, resting.table(starts, ends, [RESTING])[:, 0].tolist(), strict=True):
        found[event.how, event.site] += min(wait_ns, idle_ns)
    return found


def by_ordinary(capture: Capture, reads: list[Read]) -> Counter[Place]:
    """The same of reads of ordinary JAX's arrays, in order."""
    waits = [index for index, event in enumerate(reads) if waited_ns(event) >= WORTH_NS]
    pairs = [(reads[left], reads[right], reads[left + 1 : right + 1]) for left, right in pairwise(waits)]
    starts, ends = [before.end_ns for before, _, _ in pairs], [max(before.end_ns, after.start_ns) for before, after, _ in pairs]
    gaps = np.array(ends, np.int64) - np.array(starts, np.int64) - capture.timeline.table(starts, ends, NOT_IDLE).sum(axis=1)
    found = Counter[Place]()
    for (before, after, between), gap_ns in zip(pairs, gaps.tolist(), strict=True):
        idle_ns = max(0, gap_ns - beside) if (beside := beside_ns(between)) is not None else min(gap_ns, MOST_NS)
        found[(before.how, before.site)] += min(waited_ns(after), idle_ns)
    return found


def waited_ns(event: Read) -> int:
    """How long it waited for the device."""
    return 0 if event.ready_ns is None else event.ready_ns - event.start_ns


def beside_ns(reads: list[Read]) -> int | None:
    """How much other threads worked up to the last of some reads, each from the one before on; None if that is not known."""
    told = [event.beside_ns for event in reads]
    return None if None in told else sum(one for one in told if one is not None)
