"""Operations that need concrete values and ran on their own, outside any program."""

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.lines import Line, lines
from x10_jupyter.diagnosis.words import at, inside, shorten, times
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.runtime_events import FellBack

ALONE: tuple[TimeName, ...] = ("execute", "compile", "lower", "trace")
"""What the thread does for an operation that runs alone."""


def claims(capture: Capture) -> list[Claim]:
    """One for each operation on each line."""
    return [claim(capture, one) for one in lines(capture, FellBack, "op")]


def claim(capture: Capture, one: Line[FellBack]) -> Claim:
    """One operation on one line."""
    op, reason = f"`{shorten(one.last.op)}`", shorten(one.last.reason)
    return Claim(
        kind="fallback",
        title=f"{op} on its own{at(one.site)}{times(one.times)}, since {reason}",
        advice=f"{inside(one.site)}: write {op} with shapes that are known beforehand, such as `where` with a mask or `size=`.",
        evidence_for=(f"{op} ran outside any program {count(one.times, 'time')}, since {reason}.",),
        evidence_against=("What it computes has to be computed in some way; inside a program that would be part of a step.",),
        site=one.site,
        spans=one.during(capture, ALONE),
        more_ns=one.gone_ns(ALONE),
    )
