"""The start of JAX's platform: it happens in any case, once, to whatever needs a device first."""

from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.spent import during
from x10_jupyter.diagnosis.words import at
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.process_events import Started

STARTING: tuple[TimeName, ...] = ("start",)


def claims(capture: Capture) -> list[Claim]:
    """One, if it fell into the window."""
    return [claim(capture, event) for event in capture.kinds.on(capture.thread).of(Started)]


def claim(capture: Capture, event: Started) -> Claim:
    """The start."""
    return Claim(
        kind="warm_up",
        title=f"JAX starting its platform{at(event.site)}, once in a kernel",
        advice="",
        evidence_for=("JAX chose its platform and looked for devices, since this line was the first that needed one.",),
        evidence_against=("It happens once in a process, whatever needs a device first.",),
        site=event.site,
        spans=during(capture, [(event.start_ns, event.end_ns)], STARTING),
    )
