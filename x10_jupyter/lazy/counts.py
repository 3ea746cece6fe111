"""Which items of a list something besides the list refers to: the others are of no use to anybody any more.

Compiled, the counts of references are read where they stand (``counts.pxd``), without a call for each.
"""

import sys
from typing import Any

IS_COMPILED = not __file__.endswith((".py", ".pyc"))


def counts(items: list[Any]) -> list[int]:
    """How many references there are to each item; ``DEAD`` where only the list refers to it."""
    if IS_COMPILED:
        return [reference_count(item) for item in items]  # noqa: F821 # pyright: ignore[reportUndefinedVariable]
    return list(map(sys.getrefcount, items))


DEAD = counts([object()])[0]
"""What an item of a list counts when only the list holds it."""


def held(items: list[Any]) -> tuple[int, ...]:
    """The places of the items that something besides the list refers to; None is no item."""
    if not IS_COMPILED:
        return tuple([i for i, n in enumerate(map(sys.getrefcount, items)) if n > DEAD and items[i] is not None])
    found: list[int] = []
    dead, place = DEAD, 0
    for item in items:
        if item is not None and reference_count(item) > dead:  # noqa: F821 # pyright: ignore[reportUndefinedVariable]
            found.append(place)
        place += 1  # noqa: SIM113 - as a number of C's
    return tuple(found)


def alone(items: list[Any]) -> tuple[int, ...]:
    """The places of the items that only the list refers to."""
    if not IS_COMPILED:
        return tuple([i for i, n in enumerate(map(sys.getrefcount, items)) if n <= DEAD])
    found: list[int] = []
    dead, place = DEAD, 0
    for item in items:
        if reference_count(item) <= dead:  # noqa: F821 # pyright: ignore[reportUndefinedVariable]
            found.append(place)
        place += 1  # noqa: SIM113 - as a number of C's
    return tuple(found)
