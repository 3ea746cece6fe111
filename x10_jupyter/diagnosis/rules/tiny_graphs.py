"""Programs of an operation or a few: eager operations that are each compiled for itself, and traces that are cut again and again after a few operations."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.eager import origin, place_of, storms
from x10_jupyter.diagnosis.folding import total
from x10_jupyter.diagnosis.lines import Line, lines
from x10_jupyter.diagnosis.spent import MAKING, making
from x10_jupyter.diagnosis.words import at, inside, seconds, shorten
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.runtime_events import Cut

FEW = 3
"""Operations of a trace that is cut too early: to launch it takes Python longer than to record it."""

MANY = 100
"""So many of them at one line are a loop, and no accident."""

RUNNING: tuple[TimeName, ...] = (*MAKING, "execute")
"""What a cut consists of."""

NAMED = 3
"""Operations that are named."""


def claims(capture: Capture) -> list[Claim]:
    """One for each of the user's functions with a storm, and one for each line that cuts too early."""
    mine = [one for one in capture.compiles if one.thread == capture.thread]
    early = lines(capture, Cut, "how", only=lambda event: event.ops <= FEW and event.program is not None)
    return [
        *(storm(capture, group) for group in storms(mine)),
        *(cuts(capture, one) for one in early if one.times >= MANY),
    ]


def storm(capture: Capture, group: Sequence[Compile]) -> Claim:
    """Eager operations of one function of the user's."""
    place = place_of(group)
    ops = Counter(one.function for one in group)
    named = ", ".join(f"`{shorten(name)}` {times:,}" for name, times in ops.most_common(NAMED))
    hits = sum(one.cache == "hit" for one in group)
    return Claim(
        kind="tiny_graphs",
        title=f"compiling {len(group):,} one-operation programs{origin(group)}",
        advice=f"{inside(place)}: put the operations into a function under `jax.jit`, so that they are one program.",
        evidence_for=(
            f"{count(len(group), 'operation')} ran at once, outside any `jax.jit`, and each was compiled for itself: {seconds(total(group))} together.",
            f"Most of them: {named}.",
        ),
        evidence_against=(
            "Each is compiled once for each shape; what runs again finds them.",
            *([f"{count(hits, 'program')} of {len(group)} came from the persistent cache, and XLA did not compile."] if hits else []),
        ),
        site=place,
        spans=making(capture, group),
    )


def cuts(capture: Capture, one: Line[Cut]) -> Claim:
    """Traces cut early at one line."""
    each: list[int] = np.diff(one.spans)[:, 0].tolist()
    return Claim(
        kind="tiny_graphs",
        title=f"running {one.times:,} programs of {count(FEW, 'operation')} or fewer, cut by {shorten(one.last.how)}{at(one.site)}",
        advice=f"{inside(one.site)}: {advice(one.last)}.",
        evidence_for=(
            f"{count(one.times, 'trace')} ended here with at most {count(FEW, 'operation')}; the middle cut took {duration(quantiles(each, [0.5])[0.5])}.",
        ),
        evidence_against=("A cut that takes long may wait for programs launched before it.",),
        site=one.site,
        spans=one.during(capture, RUNNING),
    )


def advice(cut: Cut) -> str:
    """What to do about it."""
    if cut.why == "barrier":
        return "put the barrier after more operations, such as once for each step"
    if cut.why == "read":
        return "record more before the value is read, or read several values at once after the loop"
    return "keep what cuts the trace out of the loop"
