"""What the devices held during a capture: in all, and by line at its beginning, its end and when there was most."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from x10_jupyter.records.holding import Holding, Pinned
from x10_jupyter.records.process_events import Held, Sampled
from x10_jupyter.records.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """So many, of so many bytes."""

    count: int = 0
    size_bytes: int = 0


Key = tuple[Site | None, Literal["array", "program"], bool]
"""A line, what it has made, and whether it stands for all lines there was no room for."""

NONE = Amount()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUse:
    """What a line had the devices hold, all of them together."""

    site: Site | None
    """It; None where none is the user's."""

    kind: Literal["array", "program"]

    is_rest: bool
    """Whether these are all lines that there was no room for."""

    before: Amount | None
    """At the beginning of the capture; None if that is not known."""

    peak: Amount | None
    """When there was most; None if it is not known by line."""

    now: Amount
    """At the end."""

    series: tuple[tuple[int, Amount], ...]
    """All that is known, with the moments in nanoseconds, from the beginning to the end."""

    @property
    def grown_bytes(self) -> int | None:
        """How much more it is than at the beginning; None if that is not known."""
        return None if self.before is None else self.now.size_bytes - self.before.size_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the devices held while a capture was open."""

    samples: tuple[Sampled, ...]
    """In order, the first from the beginning, the last from the end; empty if none could be had, and what asks for one of them must look before."""

    before: Held | None
    """By line at the beginning."""

    end: Held | None
    """By line at the end."""

    known: tuple[Held, ...]
    """By line whenever it is known, in order."""

    reason: str
    """Why not all is known, in a sentence; empty if it is."""

    pinned: tuple[Pinned, ...]
    """What objects hold that JAX keeps for ever, since they were static arguments."""

    untold: str
    """Why nobody tells how busy the devices were, in a sentence; empty if somebody does."""

    @property
    def first(self) -> Sampled:
        """The sample from the beginning."""
        return self.samples[0]

    @property
    def last(self) -> Sampled:
        """That from the end."""
        return self.samples[-1]

    @property
    def peak(self) -> Sampled:
        """The first of those with most."""
        return max(self.samples, key=total_bytes)

    @property
    def grown_bytes(self) -> int:
        """How much more there is than at the beginning."""
        return total_bytes(self.last) - total_bytes(self.first)

    @property
    def lines(self) -> tuple[LineUse, ...]:
        """What each line has, those first that had most at once."""
        if self.end is None:
            return ()
        moments = [(held.start_ns, by_line(held.holdings)) for held in self.known]
        at_peak = next((found for at_ns, found in moments if at_ns == self.peak.start_ns), None)
        before = None if self.before is None else by_line(self.before.holdings)
        now = by_line(self.end.holdings)
        keys: dict[Key, None] = dict.fromkeys(key for _, found in moments for key in found)
        lines = [
            LineUse(
                site=site,
                kind=kind,
                is_rest=is_rest,
                before=None if before is None else before.get(key, NONE),
                peak=None if at_peak is None else at_peak.get(key, NONE),
                now=now.get(key, NONE),
                series=tuple((at_ns, found.get(key, NONE)) for at_ns, found in moments),
            )
            for key in keys
            for site, kind, is_rest in [key]
        ]
        return tuple(sorted(lines, key=lambda line: (line.is_rest, -max(amount.size_bytes for _, amount in line.series))))


def total_bytes(sample: Sampled) -> int:
    """What all devices held."""
    return sample.program_bytes + sum(device.array_bytes for device in sample.devices)


def by_line(holdings: Iterable[Holding]) -> dict[Key, Amount]:
    """What each line has on all devices together."""
    counts, sizes = Counter[Key](), Counter[Key]()
    for one in holdings:
        key = one.site, one.kind, one.is_rest
        counts[key] += one.count
        sizes[key] += one.size_bytes
    return {key: Amount(count=counts[key], size_bytes=sizes[key]) for key in counts}


def memory(samples: Sequence[Sampled], held: Sequence[Held], *, start_ns: int, end_ns: int) -> Memory | None:
    """What the events of a capture tell; None if they tell nothing. What was told for an inner capture or an outer one counts if it is in the window.

    Args:
        samples: In order.
        held: In order.
        start_ns: When the captured code began.
        end_ns: When the window ended.
    """
    begun_ns = max((one.start_ns for one in held if one.moment == "beginning" and one.start_ns <= start_ns), default=start_ns)
    over_ns = max((one.start_ns for one in held if one.moment == "end"), default=end_ns)
    shown = tuple(one for one in samples if begun_ns <= one.start_ns <= over_ns)
    inside = [one for one in held if begun_ns <= one.start_ns <= over_ns]
    reason = next((one.reason for one in inside if one.reason), "")
    known = tuple(one for one in inside if not one.reason)
    if not shown and not reason:
        return None
    before = known[0] if known and known[0].start_ns == begun_ns and known[0].moment == "beginning" else None
    end = known[-1] if known and known[-1].start_ns == over_ns and known[-1].moment == "end" else None
    untold = next((one.untold for one in reversed(inside) if one.untold), "")
    return Memory(samples=shown, before=before, end=end, known=known, reason=reason, pinned=() if end is None else end.pinned, untold=untold)


def busy(samples: Iterable[Sampled]) -> dict[str, list[int]]:
    """How busy each device was that tells, in percent at each sample."""
    found: dict[str, list[int]] = {}
    for device in (each for sample in samples for each in sample.devices):
        if device.busy_percent is not None:
            found.setdefault(device.name, []).append(device.busy_percent)
    return found
