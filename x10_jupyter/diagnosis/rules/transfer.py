"""Data brought to devices, or moved between them, while Python waits."""

from operator import attrgetter

from x10_jupyter.base.units import count, size
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.lines import Line, lines
from x10_jupyter.diagnosis.words import at, inside, shorten, times
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.runtime_events import Transferred

WAYS = {"to_device": "to the device", "from_device": "from the device", "between_devices": "between devices"}
"""Directions in words."""

MOVING: tuple[TimeName, ...] = ("transfer",)


def claims(capture: Capture) -> list[Claim]:
    """One for each line and direction."""
    return [claim(capture, one) for one in lines(capture, Transferred, "direction")]


def claim(capture: Capture, one: Line[Transferred]) -> Claim:
    """Data moved on one line."""
    way = WAYS[one.last.direction]
    largest = max(reversed(one.events), key=attrgetter("size_bytes"))
    move = f"{inside(one.site)}: move {shorten(largest.aval)} once, before the loop, or the next batch while this one is computed."
    return Claim(
        kind="transfer",
        title=f"moving data {way}{at(one.site)}{times(one.times)}",
        advice=move if one.times > 1 else "",  # what is moved once has to be
        evidence_for=(f"{count(one.times, 'transfer')} {way}, the largest of {shorten(largest.aval)}, {size(largest.size_bytes)}.",),
        evidence_against=("Data that is new each time has to be moved; only beside other work does that cost nothing.",),
        site=one.site,
        spans=one.during(capture, MOVING),
        more_ns=one.gone_ns(MOVING),
    )
