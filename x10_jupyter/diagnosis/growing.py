"""JAX's own operations that ran at once on something that grows from one to the next, so that each length is compiled: ``z = jnp.concatenate([z, row])``."""

import re
from collections.abc import Hashable, Iterable, Sequence

from x10_jupyter.diagnosis.words import line_of
from x10_jupyter.records.compile import Compile

NUMBER = re.compile(r"\d+")

MADE = "shape"
"""What grows where arrays are made anew in each size, such as the layers of a model: nothing is carried on, and one program could make them all."""

LEAST = 2
"""Changes that follow each other from which on something grows: three lengths."""


def growing(compiles: Iterable[Compile]) -> list[list[Compile]]:
    """The eager programs that were compiled again as something had grown, those of one line together.

    Args:
        compiles: In order.
    """
    alike: dict[Hashable, list[Compile]] = {}
    for one in compiles:
        if one.is_eager and one.is_recompile and has_grown(one):
            alike.setdefault((one.function, one.cause.kind, one.cause.where, line_of(one)), []).append(one)
    lines: dict[Hashable, list[Compile]] = {}
    for group in alike.values():
        for run in runs(group):
            lines.setdefault(line_of(run[0]), []).extend(run)
    return [sorted(group, key=lambda one: one.start_ns) for group in lines.values() if all(one.cause.where != MADE for one in group)]


def runs(group: Sequence[Compile]) -> list[list[Compile]]:
    """Those that follow each other, each grown from what the one before it was compiled for."""
    found: list[list[Compile]] = []
    for one in group:
        if found and found[-1][-1].cause.new == one.cause.old:
            found[-1].append(one)
        else:
            found.append([one])
    return [run for run in found if len(run) >= LEAST]


def has_grown(one: Compile) -> bool:
    """Whether one number of what changed is larger than it was, and all else of it is as it was."""
    why = one.cause
    if NUMBER.sub("0", why.old) != NUMBER.sub("0", why.new):
        return False
    pairs = [(int(old), int(new)) for old, new in zip(NUMBER.findall(why.old), NUMBER.findall(why.new), strict=True)]
    return [new > old for old, new in pairs if old != new] == [True]
