"""By line what is in a profile of the devices' memory."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.observe.heap_profile import Frame, HeapProfile
from x10_jupyter.records.holding import Holding
from x10_jupyter.records.site import Site, site_at

MOST_LINES = 256
"""Lines that are told apart; a capture with more of them holds the others together."""

KINDS: Mapping[str, Literal["array", "program"]] = {"buffer": "array", "executable": "program"}
"""What JAX calls them, and what we do. Whatever else a newer JAX may tell of takes no memory that we know of."""


def holdings(profile: HeapProfile, names: Mapping[str, str]) -> list[Holding]:
    """What each line has, by device.

    Args:
        profile: It.
        names: Our name of each device by JAX's.

    Raises:
        ValueError: It cannot be read.
    """
    counts, sizes = Counter[Holding](), Counter[Holding]()
    for one in profile.allocated:
        kind = KINDS.get(one.kind)
        if kind is None or not one.number:
            continue
        key = Holding(device=device_name(one.device, names), kind=kind, count=0, size_bytes=0, site=site_of(profile.frames(one)))
        counts[key] += one.number
        sizes[key] += one.size_bytes
    return sorted((replace(key, count=counts[key], size_bytes=sizes[key]) for key in counts), key=lambda one: -one.size_bytes)


def site_of(frames: Iterable[Frame]) -> Site | None:
    """The user's line: the innermost that is neither ours nor a library's, with the function that it stands in. No more frames are read than needed.

    JAX tells a function's own name; that of a comprehension or a lambda says nothing, so the one around it is taken.
    """
    first: Frame | None = None
    for frame in frames:
        if first is not None and frame.file != first.file:
            break
        if first is not None or not is_ours_or_library(frame.file):
            first = first or frame
            if not frame.function.startswith("<") or frame.function == "<module>":
                return site_at(first.file, first.line, frame.function)
    return None if first is None else site_at(first.file, first.line, first.function)


def device_name(name: str, names: Mapping[str, str]) -> str:
    """What we call a device of JAX's."""
    return names.get(name, name.upper())


def of_lines(moments: Sequence[Sequence[Holding]]) -> list[tuple[Holding, ...]]:
    """The same lines at each of several moments: those that had most at once, and all others together."""
    most = Counter[tuple[Site | None, str]]()
    for found in moments:
        of_line = Counter[tuple[Site | None, str]]()
        for one in found:
            of_line[(one.site, one.kind)] += one.size_bytes
        for key, size_bytes in of_line.items():
            most[key] = max(most[key], size_bytes)
    chosen = {key for key, _ in most.most_common(MOST_LINES)}
    return [together(found, chosen) for found in moments]


def together(found: Sequence[Holding], chosen: set[tuple[Site | None, str]]) -> tuple[Holding, ...]:
    """What some lines have, and what all others have together."""
    stay = [one for one in found if (one.site, one.kind) in chosen]
    counts, sizes = Counter[Holding](), Counter[Holding]()
    for one in found:
        if (one.site, one.kind) not in chosen:
            key = Holding(device=one.device, kind=one.kind, count=0, size_bytes=0, is_rest=True)
            counts[key] += one.count
            sizes[key] += one.size_bytes
    return (*stay, *(replace(key, count=counts[key], size_bytes=sizes[key]) for key in counts))
