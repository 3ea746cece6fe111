"""When the capturing thread did something for a reason."""

from collections.abc import Iterable, Sequence

import numpy as np

from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.sweep import Intervals, Nanoseconds, array, clip, intersect

MAKING: tuple[TimeName, ...] = ("trace", "lower", "compile", "cache_read")
"""What making a program consists of."""


def during(capture: Capture, spans: Intervals, names: Sequence[TimeName]) -> Nanoseconds:
    """The part of some stretches in which the capturing thread did one of a few things.

    Of a long capture's beginning it is known only what was done in sum; there a stretch counts as a whole, so it must be one of a single kind of event.

    Args:
        capture: Its.
        spans: The stretches, in nanoseconds.
        names: What it did.
    """
    early = clip(spans, capture.start_ns, capture.detailed_from_ns)
    return np.concatenate([early, intersect(spans, capture.timeline.pieces(names))])


def making(capture: Capture, compiles: Iterable[Compile]) -> Nanoseconds:
    """When the capturing thread made some programs, or waited for other threads while one of them did; what they make beside it costs it nothing."""
    return during(capture, spans(capture, compiles), MAKING)


def spans(capture: Capture, compiles: Iterable[Compile]) -> Nanoseconds:
    """When some programs were made by the capturing thread, or by others while it waited for some of them."""
    made = [(one.thread == capture.thread, (one.start_ns, one.end_ns)) for one in compiles]
    mine, others = [array([span for is_mine, span in made if is_mine is wanted]) for wanted in (True, False)]
    return np.concatenate([mine, intersect(others, capture.waits)])
