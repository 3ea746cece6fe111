"""Large arrays that a program holds as constants, since its function has them from outside instead of as arguments."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, size
from x10_jupyter.diagnosis.claim import Claim
from x10_jupyter.diagnosis.folding import beside
from x10_jupyter.diagnosis.sizes import sized
from x10_jupyter.diagnosis.spent import during, spans
from x10_jupyter.diagnosis.words import at, inside, shorten, users_own
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.size import Baked

LEAST_BYTES = 1 << 20
"""From a mebibyte on compiling takes longer: 1.7 times as long as with an argument for 1 MiB, 4 times for 4 MiB, 80 times for 64 MiB (measured on a CPU)."""

MOST_NS_PER_BYTE = 100_000_000 / (1 << 20)
"""More than 100 ms for each MiB it does not cost: that is what XLA took when it computed with the constants while it compiled; without that it is a tenth."""

NAMED = 3
"""Arrays that are named."""

WITH_DATA: tuple[TimeName, ...] = ("lower", "compile", "cache_read")
"""What takes longer by the data."""


def claims(capture: Capture) -> list[Claim]:
    """One for each function with too much of it."""
    groups: dict[str, list[tuple[Compile, Sized]]] = {}
    kept = set(map(id, capture.keeping))
    for one, event in sized(capture):
        if event.baked_bytes >= LEAST_BYTES and id(one) in kept:
            groups.setdefault(one.function, []).append((one, event))
    return [claim(capture, group) for group in groups.values()]


def claim(capture: Capture, group: Sequence[tuple[Compile, Sized]]) -> Claim:
    """Programs of one function."""
    one, event = max(group, key=lambda pair: pair[1].baked_bytes)
    name, largest = f"`{shorten(one.function)}`", event.baked[0] if event.baked else None
    names = [f"{called(each)} {shorten(each.aval)}" if each.name else shorten(each.aval) for each in event.baked[:NAMED]]
    rest = f" and {count(len(event.baked) - NAMED, 'other')}" if len(event.baked) > NAMED else ""
    bytes_in_all = sum(each.baked_bytes for _, each in group)
    site = largest.site if largest is not None else None
    return Claim(
        kind="constant_capture",
        title=f"compiling {name} with {size(event.baked_bytes)} of arrays baked in: {', '.join(names)}{rest}",
        advice=f"{inside(site, users_own(one))}: pass {called(largest)} as an argument, so that the program does not hold it.",
        evidence_for=(
            *[f"{called(each)}, {shorten(each.aval)}, {size(each.size_bytes)}, is a constant of {name}{at(each.site)}." for each in event.baked[:NAMED]],
            f"{count(len(group), 'program')} of {name} {'holds' if len(group) == 1 else 'hold'} {size(bytes_in_all)} beside the arrays themselves.",
        ),
        evidence_against=(
            "How much of the compile is due to them can't be told; more than 100 ms for each MiB is not counted.",
            *beside(capture, [each for each, _ in group]),
        ),
        site=site,
        spans=during(capture, spans(capture, [each for each, _ in group]), WITH_DATA),
        most_ns=round(bytes_in_all * MOST_NS_PER_BYTE),
    )


def called(array: Baked | None) -> str:
    """What the function calls an array."""
    return f"`{shorten(array.name)}`" if array is not None and array.name else "the array"
