"""Compiles by what they have in common."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from x10_jupyter.base.units import count
from x10_jupyter.diagnosis.words import function_of, line_of
from x10_jupyter.records.compile import Compile


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


def total(group: Iterable[Compile]) -> float:
    """Seconds of some compiles together."""
    return sum(one.seconds for one in group)
