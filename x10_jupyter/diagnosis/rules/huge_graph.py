"""Programs so large that compiling them takes long, most of them since a loop was written out."""

from collections.abc import Sequence

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.folding import beside
from x10_jupyter.diagnosis.sizes import per_thousand, sized
from x10_jupyter.diagnosis.spent import making
from x10_jupyter.diagnosis.unrolled import Unrolled, described, in_hindsight, instead
from x10_jupyter.diagnosis.words import at, called, inside, seconds
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.process_events import Sized

LINES = 3
"""Lines that are told."""


def claims(capture: Capture) -> list[Claim]:
    """One for each function that becomes a large program, for all its compiles."""
    pairs = sized(capture)
    groups: dict[tuple[str, object], list[tuple[Compile, Sized]]] = {}
    kept = set(map(id, capture.keeping))
    for one, event in pairs:
        found = in_hindsight(event)
        if found is not None and id(one) in kept:
            groups.setdefault((one.function, found.site), []).append((one, event))
    rate = per_thousand(pairs)
    return [claim(capture, group, rate) for group in groups.values()]


def claim(capture: Capture, group: Sequence[tuple[Compile, Sized]], rate: float | None) -> Claim:
    """Compiles of one function.

    Args:
        capture: Theirs.
        group: They, each with its size; at least one.
        rate: Seconds for each thousand operations.
    """
    one, event = max(group, key=lambda pair: pair[1].ops)
    found = in_hindsight(event) or Unrolled(ops=event.ops, repeated=0, passes=0, site=event.site, owned=0)
    took = sum(each.seconds for each, _ in group)
    advice = f"{inside(found.site)}: {instead(event, found)}."
    return Claim(
        kind="huge_graph",
        title=f"compiling {described(called(one), found)}",
        advice=advice,
        evidence_for=tuple(evidence(group, event, found, rate)),
        evidence_against=(*against(group, found), *beside(capture, [each for each, _ in group])),
        site=found.site,
        spans=making(capture, [each for each, _ in group]),
        most_ns=round(took * 1e9 * found.avoidable / found.ops),
    )


def evidence(group: Sequence[tuple[Compile, Sized]], event: Sized, found: Unrolled, rate: float | None) -> list[str]:
    """What speaks for it."""
    told = [f"{line.ops:,}{at(line.site) or ' on lines not known'}" for line in event.lines[:LINES]]
    said = [f"Operations by line: {', '.join(told)}."]
    if rate is not None:
        said.append(f"Compiling took {seconds(rate)} for each thousand operations.")
    if found.passes:
        said.append(f"With the loop's body once, {count(found.ops - found.avoidable, 'operation')} would be left.")
    if len(group) > 1:
        said.append(f"{called(group[0][0])} was compiled {count(len(group), 'time')}.")
    return said


def against(group: Sequence[tuple[Compile, Sized]], found: Unrolled) -> list[str]:
    """What speaks for less."""
    told = ["XLA can fuse more across a loop that is written out; the step may run slower with `scan`."] if found.passes else []
    hits = sum(one.cache == "hit" for one, _ in group)
    if hits:
        told.append(f"{count(hits, 'program')} of {len(group)} came from the persistent cache, and XLA did not compile.")
    return told
