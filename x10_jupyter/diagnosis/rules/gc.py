"""Python's garbage collector, which everything waits for."""

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.spent import during
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Collected

COLLECTING: tuple[TimeName, ...] = ("gc",)

FULL = 2
"""Generation of a pass that looks at all objects."""


def claims(capture: Capture) -> list[Claim]:
    """All passes together, if there were any."""
    passes = [event for event in capture.kinds.of(Collected) if event.thread == capture.thread]
    gone_ns = 0 if capture.thinned is None else capture.thinned.time.get("gc", 0)
    if not passes and not gone_ns:
        return []
    full = [event for event in passes if event.generation >= FULL]
    found = sum(event.collected for event in passes)
    return [
        Claim(
            kind="gc",
            title=f"Python's garbage collector, {count(len(full), 'full pass', 'full passes')} of {len(passes):,}",
            advice="Keep fewer objects, or call `gc.freeze()` before the loop, so that those which are there are not looked at each time.",
            evidence_for=(f"{count(len(passes), 'pass', 'passes')} looked at objects, {len(full):,} of them at all there are.",),
            evidence_against=(f"They freed {count(found, 'object')}, which would stay longer.",) if found else (),
            spans=during(capture, [(event.start_ns, event.end_ns) for event in passes], COLLECTING),
            more_ns=gone_ns,
        )
    ]
