"""Events by what they say and by line, since a loop does the same a hundred thousand times."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from x10_jupyter.records.events import Event
from x10_jupyter.records.site import Site

Key = tuple[tuple[Any, ...], Site | None]
"""What events say, and where."""


def by_line(events: Sequence[Event], *fields: str) -> dict[Key, NDArray[np.int64]]:
    """Which events say the same on the same line: their places, ascending. What came first is first.

    Args:
        events: They.
        fields: Names of what is to be the same.
    """
    sites = list(map(attrgetter("site"), events))
    # By the line's identity first: to compare what lines say runs Python, and events of one line mostly share it.
    keys = list(zip(*[map(attrgetter(field), events) for field in fields], map(id, sites), strict=True))
    found: dict[Key, int] = {}
    numbers = {key: found.setdefault((key[:-1], site), len(found)) for key, site in dict(zip(keys, sites, strict=True)).items()}
    owners = np.fromiter(map(numbers.__getitem__, keys), np.int64, len(keys))
    order = np.argsort(owners, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(owners[order])) + 1)
    return dict(zip(found, rows, strict=bool(found)))
