"""What a capture's facts amount to: where its time went for nothing, how it is known, and what to do."""

from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.site import Site

FindingKind = Literal[
    "recompile", "warm_up", "compile", "input_bound", "gc", "sync", "transfer", "tracing_bound", "tiny_graphs", "huge_graph", "constant_capture",
    "fallback", "cpu_contention", "memory_growth", "device_bound", "healthy", "unexplained",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that took a part of the wall time, or of the devices' memory.

    What two findings could both be blamed for counts for one of them, so the shares of either sum to at most 1.
    """

    kind: FindingKind
    """One of the closed list; ``healthy`` when there is nothing to fix."""

    share: float
    """Part of the wall time, in [0, 1]; if it is about memory, part of what the devices held at the end."""

    seconds: float
    """The same in seconds of the capturing thread; 0 if it is about memory."""

    title: str
    """What took the time, to be read after ``51 % of 339 ms was``."""

    evidence_for: tuple[str, ...]
    """Facts that speak for it, each a sentence."""

    evidence_against: tuple[str, ...]
    """Facts that speak against it, or for less of it."""

    advice: str
    """One imperative sentence: what to do, with the function, the argument and the line; empty when nothing needs to be done."""

    steps: tuple[int, ...] = ()
    """Numbers of the steps that it took time from, in their process and in order."""

    site: Site | None = None
    """The user's line that it is about, or None if it is about no single one."""

    size_bytes: int | None = None
    """If it is about memory, how much of it; else None."""
