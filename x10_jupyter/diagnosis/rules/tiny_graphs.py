"""Programs of an operation or a few: eager operations, each compiled for itself or run again and again, and traces that are cut after a few operations."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.eager import origin, place_of, storms
from x10_jupyter.diagnosis.folding import beside, lasted
from x10_jupyter.diagnosis.lines import Line, lines
from x10_jupyter.diagnosis.spent import MAKING, making
from x10_jupyter.diagnosis.words import at, inside, shorten
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.process_events import Dispatched
from x10_jupyter.records.runtime_events import Cut

FEW = 3
"""Operations of a trace that is cut too early: to launch it takes Python longer than to record it."""

MANY = 100
"""So many of them at one line are a loop, and no accident."""

RUNNING: tuple[TimeName, ...] = (*MAKING, "execute")
"""What a cut consists of."""

ONE_BY_ONE = 1_000
"""Operations that ran one by one from which on they are a loop over something large, or come again and again: to prepare data or a model takes fewer."""

SMALL_NS = 50_000
"""An operation that takes longer works, and is not launched for nothing; to launch one takes 5 to 20 µs."""

ONE_BY_ONE_IN_GRADIENT, GRADIENT_NS = 200, 1_000_000
"""The same of a gradient that is not compiled: JAX's Python takes some 100 to 500 µs for each of its operations, and not all of them are counted."""

BETWEEN: tuple[TimeName, ...] = ("python",)
"""What a thread does that launches operations one by one."""

COMPILED = {
    False: "put what is repeated, such as the loop's body, into a function under `jax.jit` or `x10.lazy`",
    True: "compile it, as in `jax.jit(jax.value_and_grad(loss))`, or put the whole step into a function under `jax.jit`",
}
"""What to do about operations that run one by one, by whether they are a gradient's."""

NAMED = 3
"""Operations that are named."""


def claims(capture: Capture) -> list[Claim]:
    """One for each of the user's functions with a storm, and one for each line that cuts too early."""
    mine = capture.keeping
    early = lines(capture, Cut, "how", only=lambda event: event.ops <= FEW and event.program is not None)
    return [
        *(one_by_one(capture, group) for group in by_function(lines(capture, Dispatched, only=is_small)) if is_loop(group)),
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
            f"{count(len(group), 'operation')} ran at once, outside any `jax.jit`, and each was compiled for itself: {lasted(group)} together.",
            f"Most of them: {named}.",
        ),
        evidence_against=(
            "Each is compiled once for each shape; what runs again finds them.",
            *([f"{count(hits, 'program')} of {len(group)} came from the persistent cache, and XLA did not compile."] if hits else []),
            *beside(capture, group),
        ),
        site=place,
        spans=making(capture, group),
    )


def is_small(event: Dispatched) -> bool:
    """Whether operations that ran one by one are launched for most of their time, and do not work."""
    return event.each_ns <= (GRADIENT_NS if event.is_gradient else SMALL_NS)


def is_loop(group: Sequence[Line[Dispatched]]) -> bool:
    """Whether so many ran that they come from a loop, or from a function that is called again and again."""
    events = [event for each in group for event in each.events]
    return sum(event.ops for event in events) >= (ONE_BY_ONE_IN_GRADIENT if events[-1].is_gradient else ONE_BY_ONE)


def by_function(found: Sequence[Line[Dispatched]]) -> list[list[Line[Dispatched]]]:
    """Lines of one function, or of one cell, together: which line of a loop a stretch is told of is chance."""
    groups = dict[object, list[Line[Dispatched]]]()
    for each in found:
        site = each.site
        function = (
            site and not each.last.is_gradient and site.function
        )  # of a gradient some are those of the function that it is of, and some of who asks for it
        groups.setdefault((site and (site.file, site.cell), function, each.last.is_gradient), []).append(each)
    return list(groups.values())


def one_by_one(capture: Capture, group: Sequence[Line[Dispatched]]) -> Claim:
    """Eager operations of one function of the user's that ran, whether they were compiled for it or known."""
    events = [event for each in group for event in each.events]
    ops = count(sum(event.ops for event in events), "operation")
    most = max(events, key=lambda event: event.ops)
    site, is_gradient = most.site, most.is_gradient
    what = f"the gradient of what is not compiled, {ops} and more one by one" if is_gradient else f"{ops} one by one"
    return Claim(
        kind="tiny_graphs",
        title=f"running {what}, outside any `jax.jit`{at(site)}",
        advice=f"{inside(site)}: {COMPILED[is_gradient]}, so that it is one program.",
        evidence_for=(f"The middle one took {duration(most.each_ns)} from the end of the one before; most often it was `{shorten(most.op)}`.",),
        evidence_against=("What the code does between two operations counts, too; and what is put under `jax.jit` is compiled once.",),
        site=site,
        spans=np.concatenate([each.during(capture, BETWEEN) for each in group]),
        most_ns=sum(event.ops * event.each_ns for event in events),
        is_at_any_length=True,
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
