"""JAX's own operations that ran at once, each compiled for itself, by the user's function that they were called in."""

from collections import Counter
from collections.abc import Iterable, Sequence

from x10_jupyter.diagnosis.folding import caller, fold
from x10_jupyter.diagnosis.growing import growing
from x10_jupyter.diagnosis.words import at, function_of, shorten
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.site import Site

STORM = 16
"""Eager programs of one function that are a storm: any cell makes a few arrays, and each takes a program or two."""


def storms(compiles: Iterable[Compile]) -> list[list[Compile]]:
    """The eager programs of functions that have many of them, the costliest first; what grows is left out, as no `jax.jit` would help."""
    found = list(compiles)
    left_out = {id(one) for group in growing(found) for one in group}
    return [group for group in fold([one for one in found if one.is_eager and id(one) not in left_out], caller) if len(group) >= STORM]


def place_of(group: Sequence[Compile]) -> Site | None:
    """The line that most of them were called at; of several the first."""
    return Counter(one.call_site for one in group).most_common(1)[0][0]


def origin(group: Sequence[Compile]) -> str:
    """Where they came from, with a blank before it: `` from `init` at cell [3] line 9``."""
    place = place_of(group)
    function = "" if place is None else function_of(place)
    return f"{f' from `{shorten(function)}`' if function else ''}{at(place)}"
