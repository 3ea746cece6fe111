"""What a rule says: something took time of the capturing thread, and when."""

from dataclasses import dataclass, field

from x10_jupyter.records.findings import FindingKind
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Nanoseconds

LEAST = 0.05
"""Part of the wall time from which on something is a finding. To be rid of less makes a cell at most a nineteenth faster, which two runs of the same cell on
one machine differ by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A finding before its time is measured."""

    kind: FindingKind
    title: str
    advice: str
    evidence_for: tuple[str, ...]
    evidence_against: tuple[str, ...] = ()
    site: Site | None = None

    spans: Nanoseconds = field(repr=False)
    """When it kept the capturing thread: a row for each stretch, in nanoseconds. They may overlap each other, and those of other claims."""

    more_ns: int = 0
    """What else it took, by sums of what a long capture no longer holds."""

    most_ns: int | None = None
    """More than that it did not cost, whatever it kept the thread for; None if all of that would have been saved."""
