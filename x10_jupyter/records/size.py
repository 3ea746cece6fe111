"""How large a program is before it is compiled, and what makes it so."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from x10_jupyter.records.site import Site

TOLD_OPS = 256
"""A program of fewer operations compiles in a fraction of a second, so nobody asks what makes it large."""

TOLD_RECORDED = 64
"""The same of a trace of lazy tensors, which may be all steps of a loop that should be a program each: sixteen of a small model are more."""

TOLD_BYTES = 65_536
"""An array of fewer bytes that is baked into a program makes no difference to its compile that could be measured."""

MOST_LINES = 64
"""Lines that are told, those with most operations first."""

MOST_CALLBACKS = 16
"""Places at which Python is called back that are told."""

MOST_BAKED = 16
"""Baked-in arrays that are told, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSize:
    """What one line of the user's code has put into a program."""

    site: Site | None
    """The line, or None for operations of which it could not be told."""

    ops: int
    """Operations it recorded."""

    passes: int
    """How often the most frequent of them is there: as often as a loop around the line was run through, if there is one and nothing else repeats it.

    What is known to come once for each parameter, and not for each turn of a loop, counts as often as the loop can have been run through.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Baked:
    """An array that a program holds as a constant, since its function has it from outside instead of as an argument."""

    name: str
    """What the function calls it; empty if that could not be told."""

    aval: str
    """Shape and dtype, e.g. ``f32[1024,1024]``."""

    size_bytes: int
    """Its size in bytes."""

    site: Site | None
    """The line that uses it first, or None when it could not be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """A place at which a program calls Python back, so that each call of it leaves JAX's fast path."""

    op: str
    """The operation: ``debug_print``, ``debug_callback``, ``pure_callback`` or ``io_callback``."""

    site: Site | None
    """The user's line, or None when it could not be told."""


def by_line(operations: Iterable[tuple[Site | None, int, int]]) -> tuple[LineSize, ...]:
    """What each line has put into a program, the lines with most operations first, a bounded number of them.

    Args:
        operations: Each place that records an operation, with its line, how often it did, and how many passes of a loop that may be.
    """
    ops, passes = Counter[Site | None](), dict[Site | None, int]()
    for site, times, turns in operations:
        ops[site] += times
        passes[site] = max(turns, passes.get(site, 0))
    return tuple([LineSize(site=site, ops=total, passes=passes[site]) for site, total in ops.most_common(MOST_LINES)])
