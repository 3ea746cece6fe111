"""How long a device stood still after a read of ordinary JAX, and so what it would save not to read.

After a read for which Python waited, the device has nothing to do until the next program is launched. Without it that program had begun at once, and
the next wait would have been shorter by this gap, if it was as long. When ordinary JAX launches a program nobody tells; so the gap is at most the time
up to the next wait, less what the device is known to have worked in it. A read that nothing follows, as at the end of a cell, costs only its copy.
"""

from collections import Counter
from itertools import pairwise

import numpy as np

from x10_jupyter.diagnosis.spent import MAKING
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.site import Site

WORTH_NS = 20_000
"""A wait from which on it is one: less takes a value that is there."""

MOST_NS = 10_000_000
"""A gap on a device of which nothing is known counts up to here. A step is launched sooner after the one before; what takes longer is many of them, as in an
epoch, in which the device works."""

NOT_IDLE: tuple[TimeName, ...] = (*MAKING, "execute", "drain")
"""What the thread does for which the device would have waited without a read, too, or works."""

Place = tuple[str, Site | None]
"""What was read by, and where."""


def saved_by(capture: Capture) -> Counter[Place]:
    """Nanoseconds that would be saved without the reads of a place, at most; of the events that a capture holds."""
    told = [event for event in capture.kinds.of(Read) if event.is_jax and event.thread == capture.thread and event.end_ns > capture.detailed_from_ns]
    reads = sorted(told, key=lambda event: event.start_ns)
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
