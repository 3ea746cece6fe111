"""Values read on the host: Python waits for the device, and the device then waits for Python.

A wait costs only as much as the device was idle after it: if it works all the time, or nothing follows, the same would be waited for at the end. Copying
the value costs in any case; of a single one that is a fault only if it is large.
"""

import numpy as np

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.idle import MOST_NS, saved_by
from x10_jupyter.diagnosis.lines import Line, lines
from x10_jupyter.diagnosis.spent import during
from x10_jupyter.diagnosis.words import at, inside, shorten, times
from x10_jupyter.metrics.quantiles import quantiles
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Cut
from x10_jupyter.records.sweep import length_ns

TOLD_APART = ("how", "is_jax", "is_sampled")
"""Fields of reads that are told apart on one line."""

WAITED: tuple[TimeName, ...] = ("execute",)
"""What a thread does while a read keeps it waiting for a program that runs."""

TAKEN: tuple[TimeName, ...] = ("read",)
"""What it does while the value is brought, or while nobody tells what it waits for."""

STRIDES = (10, 20, 50, 100, 200, 500, 1000)
"""Numbers of steps after which one may read."""

SEVERAL = 4
"""So often a line that reads is in a loop; a line that reads fewer times may stand alone, and read a few values at once."""

LARGE_BYTES = 1 << 20
"""Size of a value from which on to bring it may take long; what a single read of a smaller one took beside its wait is not its copy."""

ENOUGH = 10
"""So often a value that somebody follows is read all the same: the wait is a tenth of what it was, or less."""


def claims(capture: Capture) -> list[Claim]:
    """One for each way to read on each line."""
    saved = {is_jax: saved_by(capture, is_jax=is_jax) for is_jax in (False, True)}
    return [claim(capture, one, waited_ns(one, capture), saved[one.last.is_jax][one.last.how, one.site]) for one in lines(capture, Read, *TOLD_APART)]


def waited_ns(one: Line[Read], capture: Capture) -> int:
    """How long reads waited for programs that were running."""
    return length_ns(one.during(capture, WAITED)) + one.gone_ns(WAITED)


def claim(capture: Capture, one: Line[Read], wait_ns: int, by_held_ns: int) -> Claim:
    """Reads of one line.

    Args:
        capture: Theirs.
        one: They.
        wait_ns: How long they waited for programs.
        by_held_ns: How much of it the device was idle for afterwards, of the reads that the capture still holds.
    """
    held_ns = wait_ns - one.gone_ns(WAITED)
    saved_ns = min(wait_ns, by_held_ns if not one.gone else round(wait_ns * by_held_ns / held_ns) if held_ns else 0)
    taken_ns = length_ns(one.during(capture, TAKEN)) + one.gone_ns(TAKEN)
    copied_ns = taken_ns if is_repeated(one) else length_ns(during(capture, copies(one), TAKEN))
    what = f"{shorten(one.last.how)} of {shorten(one.last.aval)}" if one.last.aval else shorten(one.last.how)
    often = "" if one.last.is_sampled else times(one.times)
    return Claim(
        kind="sync",
        title=f"waiting for {what}{at(one.site)}{often}",
        advice=f"{inside(one.site)}: {instead(one, is_copy=copied_ns > saved_ns)}.",
        evidence_for=tuple(evidence(capture, one, taken_ns, wait_ns)),
        evidence_against=tuple(against(capture, one, wait_ns, saved_ns)),
        site=one.site,
        spans=one.during(capture, (*TAKEN, *WAITED)),
        more_ns=one.gone_ns((*TAKEN, *WAITED)),
        most_ns=copied_ns + saved_ns,
    )


def is_repeated(one: Line[Read]) -> bool:
    """Whether reads come from a loop. What is only seen is not counted, and one long read is told in parts: they are several if they lie apart."""
    if not one.last.is_sampled:
        return one.times >= SEVERAL
    return bool(one.gone) or int((one.spans[1:, 0] > one.spans[:-1, 1]).sum()) + 1 >= SEVERAL


def copies(one: Line[Read]) -> list[tuple[int, int]]:
    """When a few reads brought large values."""
    return [(event.ready_ns, event.end_ns) for event in one.events if event.ready_ns is not None and event.size_bytes >= LARGE_BYTES]


def instead(one: Line[Read], *, is_copy: bool) -> str:
    """What to write.

    Args:
        one: Reads of one line.
        is_copy: Whether to bring the values took longer than the device stood still.
    """
    if "block_until_ready" in one.last.how:
        return "leave out the wait, which is needed only to measure time; what reads a value waits for it by itself"
    if not is_repeated(one):
        if is_copy:
            return "bring less of it to the host, such as a part, or a mean that the device has computed"
        return "read it after what follows has been launched, so that the device works meanwhile"
    strides = [stride for stride in STRIDES if stride * ENOUGH <= one.times]
    if strides:
        return f"keep the value on the device, and read it every {strides[-1]} steps or after the loop"
    return "keep the value on the device, and read it after the loop or once in many steps"


def evidence(capture: Capture, one: Line[Read], taken_ns: int, wait_ns: int) -> list[str]:
    """What speaks for it."""
    told = [f"{count(one.times, 'read')} kept Python for {duration(taken_ns + wait_ns)}, {duration(wait_ns)} of it while programs were running."]
    if one.last.is_sampled:
        told = [f"The thread was seen to stand here for {duration(wait_ns)}, using hardly any CPU, while an array of JAX was not ready."]
    each: list[int] = np.diff(one.spans)[:, 0].tolist()
    if len(each) > 1 and not one.last.is_sampled:
        told.append(f"The middle one took {duration(quantiles(each, [0.5])[0.5])}.")
    cuts = sum(cut.why == "read" and cut.site == one.site for cut in capture.kinds.of(Cut))
    if cuts:
        told.append(f"{count(cuts, 'trace')} ended here, so that what follows is another program.")
    return told


def against(capture: Capture, one: Line[Read], wait_ns: int, saved_ns: int) -> list[str]:
    """What speaks for less."""
    told: list[str] = []
    if one.last.is_sampled:
        told.append("It is sampled: nobody tells of such reads, so how many there were is not known, and which array they waited for is not either.")
    if not capture.device_ns:
        return [*told, "Whether the device was busy meanwhile is not known; if it always was, the same time is waited for at the end."]
    if one.last.is_jax:
        told.append("When ordinary JAX launches a program nobody tells, so the device may have been idle for less between two waits.")
        if one.last.beside_ns is None:
            told.append(f"What the device did there is not known, either; of each time between two waits at most {duration(MOST_NS)} are counted.")
        if not one.last.is_sampled:
            told.append("Only reads for which Python waited are counted; one of an array that was there already is none of them.")
    if saved_ns < wait_ns:
        told.append(
            f"For {duration(wait_ns - saved_ns)} of it the device had no idle time to make up for: it would be waited for elsewhere, and is not counted."
        )
    elif not one.last.is_jax:
        told.append(f"The device was busy for {duration(capture.device_ns)} of {duration(capture.wall_ns)}; more than it was idle cannot be gained.")
    return told
