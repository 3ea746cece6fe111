"""Compiles by what they have in common."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.words import at, function_of, line_of, seconds, shorten
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.process_events import Waited
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import length_ns

LONGER = 1.1
"""So many times as long as went by compiles of several threads are together, for it to be told: what overlaps less misleads nobody who adds them up."""


def caller(one: Compile) -> Hashable:
    """Equal for compiles that the same function of the user's asked for."""
    site = one.call_site
    return (site.file, site.cell, function_of(site)) if site else None


def same_cause(one: Compile) -> Hashable:
    """Equal for compiles that had the same kind of cause at the same place."""
    why = one.cause
    return (one.function, why.kind, why.where, line_of(one), one.cache == "hit")


def same_origin(one: Compile) -> Hashable:
    """As `same_cause`, but JAX's own operations that ran at once belong together if one function of the user's ran them: to a reader a storm is one thing."""
    return ("eager", caller(one), one.cache == "hit") if one.is_eager else same_cause(one)


def fold(compiles: Iterable[Compile], alike: Callable[[Compile], Hashable] = same_cause) -> list[list[Compile]]:
    """Compiles with those together that are alike, the costliest first; those of one group in order.

    Args:
        compiles: In order.
        alike: Gives what is equal for those that belong together; by default their cause, apart from what was read from the persistent cache.
    """
    groups: dict[Hashable, list[Compile]] = {}
    for one in compiles:
        groups.setdefault(alike(one), []).append(one)
    return sorted(groups.values(), key=lambda group: -total(group))


def from_cache(group: Sequence[Compile]) -> list[str]:
    """How many of some compiles were none of XLA's, in a sentence; none if all were."""
    found = sum(one.cache == "hit" for one in group)
    return [f"{count(found, 'program')} of {len(group)} came from the persistent cache, and XLA did not compile."] if found else []


def beside(capture: Capture, group: Iterable[Compile]) -> list[str]:
    """That some compiles were those of other threads, and where the capturing one waited meanwhile, in a sentence; none if all were its own.

    Args:
        capture: Theirs.
        group: They.
    """
    found = list(group)
    others = [one for one in found if one.thread != capture.thread]
    place = waiting(capture, others)
    if place is None:
        return []
    how, site = place
    those = f"{len(others):,} of {count(len(found), 'program')}" if len(found) > 1 else "It"
    doubt = "For which thread it waited nobody tells, so without them it may have to wait all the same."
    return [f"{those} {'was' if len(others) == 1 else 'were'} made on another thread, while this one waited by {shorten(how)}{at(site)}. {doubt}"]


def waiting(capture: Capture, others: Iterable[Compile]) -> tuple[str, Site | None] | None:
    """By what, and where, the capturing thread waited longest while some compiles were made; None if it did not."""
    spent = Counter[tuple[str, Site | None]]()
    waits = capture.kinds.on(capture.thread).of(Waited)
    for one in others:
        for event in waits:
            took_ns = min(event.end_ns, one.end_ns) - max(event.start_ns, one.start_ns)
            if took_ns > 0:
                spent[event.how, event.site] += took_ns
    return spent.most_common(1)[0][0] if spent else None


def side_by_side(group: Iterable[Compile]) -> str:
    """That some compiles ran at the same time on several threads, so that together they are longer than went by; empty if they did not."""
    found = list(group)
    threads = len({one.thread for one in found})
    went_by_ns = length_ns([(one.start_ns, one.end_ns) for one in found])
    return f"side by side on {threads} threads" if threads > 1 and total(found) * 1e9 >= LONGER * went_by_ns else ""


def lasted(group: Sequence[Compile]) -> str:
    """How long some compiles took together, and that they ran side by side if they did."""
    return " ".join(filter(None, (seconds(total(group)), side_by_side(group))))


def total(group: Iterable[Compile]) -> float:
    """Seconds of some compiles together."""
    return sum(one.seconds for one in group)
