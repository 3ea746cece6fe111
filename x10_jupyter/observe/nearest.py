"""Which of the known signatures is nearest to what is compiled now, so that what differs is what has changed."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import inf, log
from operator import is_not, ne
from typing import Any

from x10_jupyter.observe.signature import AVALS, INTERNALS, NOT_LEARNT, PLACES, PROGRAM, STATICS, STRUCTURE, Signature

Sections = tuple[Hashable, ...]
"""The parts of a signature, equal ones being one object."""

LEAST_LOOKED_AT, MOST_COMPARED = 32, 2048
"""Signatures that differ in equally many parts are compared part by part, the newest first: as many as have so many arrays, but no fewer than so many."""

FAR = 100.0
"""How far apart numbers are of which one is 0, or of another sign: farther than any by their logarithms."""


def nearest(known: Sequence[tuple[Signature, Sections]], now: Sections) -> Signature | None:
    """The signature that differs least: in parts, then in items of these, then in axes, then by how much; of equally near ones the newest.

    Of the very same function, if there is one.

    Args:
        known: Signatures with their parts, in order.
        now: The parts of the new one.
    """
    token = now[0]
    same = [pair for pair in known if pair[1][0] == token]
    best: list[tuple[Signature, Sections]] = []
    fewest = len(now) + 1
    avals: Any = now[AVALS]
    most = max(LEAST_LOOKED_AT, MOST_COMPARED // (len(avals) + 1))
    for pair in reversed(same or known):
        count = differing(*pair, now)
        if count < fewest:
            fewest, best = count, [pair]
        elif count == fewest and len(best) < most:
            best.append(pair)
    if len(best) > 1:
        return min(best, key=lambda pair: distance(*pair, now))[0]
    return best[0][0] if best else None


def differing(signature: Signature, sections: Sections, now: Sections) -> int:
    """In how many parts a signature differs, as far as that is known."""
    count = sum(map(is_not, sections, now)) - (sections[INTERNALS] is not now[INTERNALS])  # equal ones are one object
    if not signature.is_whole:
        count -= sum(sections[part] is not now[part] for part in NOT_LEARNT)
    return count


def distance(signature: Signature, sections: Sections, now: Sections) -> tuple[float, ...]:
    """How many items differ, or are there only once; in how many axes the shapes do; and by how much they and the static numbers do."""
    parts = (AVALS, STATICS, PROGRAM, PLACES) if signature.is_whole else (AVALS, STATICS)
    items = sum(unequal(sections[part], now[part]) for part in parts)
    structure: Any = sections[STRUCTURE]
    now_structure: Any = now[STRUCTURE]
    if structure is not now_structure:
        items += len(set(structure) ^ set(now_structure))
    axes, ratio = shapes_apart(sections[AVALS], now[AVALS])
    return items, axes, ratio + statics_apart(sections[STATICS], now[STATICS]), sections[INTERNALS] is not now[INTERNALS]


def unequal(old: Any, new: Any) -> int:  # noqa: ANN401 - sequences
    """How many items of two sequences differ; of such as have more of them in one, whichever is where."""
    if old is new:
        return 0
    if len(old) != len(new):
        return max(len(old), len(new)) - (Counter(old) & Counter(new)).total()
    return sum(map(ne, old, new))


def shapes_apart(old: Any, new: Any) -> tuple[int, float]:  # noqa: ANN401 - sequences of avals
    """In how many axes the shapes of arrays differ, all of both where there are more of them in one; and by how much in all."""
    axes, ratio = 0, 0.0
    for one, other in zip(old, new, strict=False):
        if one is other:
            continue
        if len(one.shape) != len(other.shape):
            axes += len(one.shape) + len(other.shape)
            continue
        for a, b in zip(one.shape, other.shape, strict=True):
            if a != b:
                axes += 1
                ratio += apart(a, b)
    return axes, ratio


def statics_apart(old: Any, new: Any) -> float:  # noqa: ANN401 - sections
    """By how much static numbers differ, in all."""
    if old is new or len(old) != len(new):
        return 0.0
    return sum(numbers_apart(a, b) for (_, a), (_, b) in zip(old, new, strict=True) if a != b)


def numbers_apart(old: Any, new: Any) -> float:  # noqa: ANN401 - evidence of values
    """By how much two values differ, if both are numbers, or tuples of such."""
    if not isinstance(old, tuple) or not isinstance(new, tuple) or len(old) != len(new) or old[:1] != new[:1]:
        return FAR
    if old[0] in {"int", "float"}:
        return apart(float(old[1]), float(new[1]))
    if old[0] == "tuple":
        return sum(numbers_apart(a, b) for a, b in zip(old[1:], new[1:], strict=True) if a != b)
    return FAR


def apart(a: float, b: float) -> float:
    """By how much two numbers differ, as a ratio."""
    return abs(log(a / b)) if 0 < a * b < inf else FAR
