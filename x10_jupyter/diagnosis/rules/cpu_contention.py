"""A thread that is ready to run while others have the cores."""

import numpy as np

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.records.capture import Capture


def claims(capture: Capture) -> list[Claim]:
    """One, if it waited at all."""
    took_ns = capture.time["contention"]
    if not took_ns:
        return []
    ran = capture.environment
    own = "On a CPU JAX's own threads need cores, too; what they compute is what the code asks for." if ran.platform == "cpu" else ""
    return [
        Claim(
            kind="cpu_contention",
            title="waiting for a core that other threads or processes had",
            advice="Stop what else runs on this machine, or run it where more cores are free.",
            evidence_for=(
                f"By the system's count the thread was ready to run and had no core for {duration(capture.queued_ns)} of {duration(capture.wall_ns)}.",
                f"In {duration(took_ns)} of it, it did nothing that any event tells of but Python.",
            ),
            evidence_against=tuple(
                filter(None, (f"There {'is' if ran.cpu_count == 1 else 'are'} {count(ran.cpu_count, 'core')}; whose threads had them is not known.", own))
            ),
            spans=np.zeros((0, 2), np.int64),
            more_ns=took_ns,
        )
    ]
