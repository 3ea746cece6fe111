"""What is said of a capture in which no rule found much: whether that is good."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.base.units import duration, share
from x10_jupyter.diagnosis.lines import lines
from x10_jupyter.diagnosis.words import at, shorten
from x10_jupyter.records.accounting import REST
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.findings import Finding
from x10_jupyter.records.process_events import Throttled, Waited
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import intersect, length_ns

WORTH = 0.1
"""A fault that takes less of the wall time is no reason not to be content: to be rid of it makes a cell at most a ninth faster. So there is nothing to fix when
the model ran for nine tenths and more."""

MOST = 0.5
"""What takes half of the time is what a cell does."""


def verdict(capture: Capture, faults: Sequence[Finding]) -> list[Finding]:
    """One finding at most.

    Args:
        capture: It.
        faults: What the rules have found.
    """
    if any(one.share >= WORTH for one in faults):
        return []
    # The device may work while Python goes on; then it is not waited for, but still what takes the time.
    model_ns = max(capture.time["execute"] + capture.time["drain"], capture.device_ns)
    if model_ns >= (1 - WORTH) * capture.wall_ns:
        return [healthy(capture, model_ns)]
    return [unexplained(capture)] if capture.time["unexplained"] >= MOST * capture.wall_ns else []


def healthy(capture: Capture, model_ns: int) -> Finding:
    """The model ran."""
    waited = capture.time["execute"] + capture.time["drain"]
    return Finding(
        kind="healthy",
        share=min(model_ns / capture.wall_ns, 1.0),
        seconds=min(model_ns, capture.wall_ns) / 1e9,
        title="the model running",
        evidence_for=(f"Programs were executing for {duration(capture.device_ns)} of {duration(capture.wall_ns)}.", *launches(capture)),
        evidence_against=(f"Python launched or waited for {duration(waited)} ({share(waited / capture.wall_ns)}); the device worked beside it for the rest.",),
        advice="",
    )


def launches(capture: Capture) -> list[str]:
    """That launches waited, and where most of that was, in a sentence; none if they did not."""
    found = lines(capture, Throttled, "function")
    if not found:
        return []
    most = f"most of it `{shorten(found[0].last.function)}`{at(found[0].site)}"
    return [f"For {duration(sum(one.took_ns for one in found))} a launch was seen to wait, {most}: JAX lets only so many programs be in flight."]


def unexplained(capture: Capture) -> Finding:
    """Nobody knows what it did."""
    took_ns = capture.time["unexplained"]
    return Finding(
        kind="unexplained",
        share=took_ns / capture.wall_ns,
        seconds=took_ns / 1e9,
        title="not explained by anything recorded",
        evidence_for=(
            f"The thread used {duration(capture.cpu_ns)} of CPU time in {duration(capture.wall_ns)}, so it waited for something.",
            *threads(capture),
        ),
        evidence_against=("What it waited for, no event tells: it may be sleep, a file, a network or another thread.",),
        advice="",
    )


def threads(capture: Capture) -> list[str]:
    """Where it was seen to wait for other threads that told of no compile, in a sentence; none if it was not."""
    found = Counter[tuple[str, Site | None]]()
    for event in capture.kinds.on(capture.thread).of(Waited):
        found[event.how, event.site] += length_ns(intersect([(event.start_ns, event.end_ns)], capture.timeline.pieces((REST,))))
    if not found.total():
        return []
    (how, site), _ = found.most_common(1)[0]
    told = f"For {duration(found.total())} it was seen to wait for other threads, most of it by {shorten(how)}{at(site)}"
    return [f"{told}; what they did meanwhile nobody tells."]
