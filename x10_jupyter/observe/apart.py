"""Where two static values part that read the same as far as they are shown: long texts, long tuples."""

from collections.abc import Hashable
from typing import NamedTuple

BEFORE, LONGEST = 20, 60
"""Letters of a long text that are shown before it parts from the other one, and in all."""


class Apart(NamedTuple):
    """A part in which they differ."""

    where: str
    """The way to it: ``[60]``; empty for the value itself."""

    old: str
    new: str


def apart(old: Hashable, new: Hashable) -> Apart | None:
    """The first part in which two values differ, by what `values.evidence_of` has of them; None if that does not tell."""
    if not isinstance(old, tuple) or not isinstance(new, tuple) or not old or not new:
        return None
    (kind, *before), (other, *after) = old, new
    if not isinstance(kind, str) or not isinstance(other, str):
        return None
    if kind != other:
        return Apart("", kind, other)
    if kind == "tuple":
        if len(before) != len(after):
            return Apart("", f"tuple of {len(before)}", f"tuple of {len(after)}")
        index = next((at for at, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]), None)
        found = None if index is None else apart(before[index], after[index])
        return None if found is None else found._replace(where=f"[{index}]{found.where}")
    texts = [part for part in (*before, *after) if isinstance(part, str)]
    return Apart("", *windows(*texts)) if len(texts) == len(before) + len(after) == 2 else None


def windows(old: str, new: str) -> tuple[str, str]:
    """Two texts from shortly before they part."""
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new)))
    start = max(same - BEFORE, 0)
    first, second = [("…" if start else "") + text[start : start + LONGEST] + ("…" if len(text) > start + LONGEST else "") for text in (old, new)]
    return first, second
