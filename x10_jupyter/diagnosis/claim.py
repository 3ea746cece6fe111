"""What a rule says: something took time of the capturing thread, and when."""

from dataclasses import dataclass, field

from x10_jupyter.records.findings import FindingKind
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Nanoseconds

LEAST = 0.05
"""Part of the wall time from which on something is a finding. To be rid of less makes a cell at most a nineteenth faster, which two runs of the same cell on
one machine differ by."""

LEAST_NS = 50_000_000
"""Time from which on something is a finding, however short the cell: half of the 0.1 s up to which a person takes an answer for immediate, so to be rid of less
is not noticed. In a loop that runs for long it is found by its share."""

AT_ANY_LENGTH: frozenset[FindingKind] = frozenset({"recompile"})
"""What is a finding however little it took: a change that made one call compile again makes others do so, and a short cell may be one call out of thousands."""


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

    is_at_any_length: bool = False
    """Whether it is a finding however little it took, as all of `AT_ANY_LENGTH` are."""

    most_ns: int | None = None
    """More than that it did not cost, whatever it kept the thread for; None if all of that would have been saved."""


def least_ns(kind: FindingKind, wall_ns: int, *, is_at_any_length: bool = False) -> float:
    """What something has to take to be a finding, in nanoseconds.

    Args:
        kind: What it is.
        wall_ns: The length of the capture.
        is_at_any_length: Whether it is one however little it takes, as are those of some kinds.
    """
    return max(LEAST * wall_ns, 0 if is_at_any_length or kind in AT_ANY_LENGTH else LEAST_NS)
