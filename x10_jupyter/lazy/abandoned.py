"""Values that only the traceback of an error still refers to: the step that made them was given up, and the next one is not to compute them, too."""

import gc
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CellType, FrameType, FunctionType, TracebackType
from typing import Any

from x10_jupyter.lazy.counts import DEAD, counts

CONTAINERS = (list, tuple, dict, set, CellType, FunctionType)
MOST_OBJECTS = 10_000
"""Objects in the frames of a traceback that are looked at; beyond that, what is found so far counts."""


def abandoned(tensors: Sequence[Any], live: Sequence[int]) -> set[int]:
    """Those of some values that nothing refers to but the frames of the last error's traceback, or containers in them that have no other owner.

    IPython keeps that traceback until the next error. What a running function, a variable or an object refers to is not among them: each reference
    has to be accounted for.

    Args:
        tensors: The trace's values, whose list counts as one reference.
        live: The values to look at.
    """
    frames = list(frames_of(getattr(sys, "last_value", None)))
    if not frames:
        return set()
    owned = only_in(frames, {id(tensors[i]) for i in live})
    return {i for i in live if id(tensors[i]) in owned}


def frames_of(error: Any) -> Iterator[FrameType]:
    """The frames of an error's traceback and of those that led to it; the frames that are running are not told by them."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            waiting += [one.__cause__, one.__context__]
            trace: TracebackType | None = one.__traceback__
            while trace is not None:
                yield trace.tb_frame
                trace = trace.tb_next


def only_in(owners: list[Any], values: set[int]) -> set[int]:
    """The addresses of the values that only these owners refer to, directly or through containers that only they refer to.

    Args:
        owners: Frames that have ended. One that is still running shows nothing of what it refers to.
        values: Addresses of values, each with one more reference, that of the trace.
    """
    found: set[int] = set()
    counted: Counter[int] = Counter()
    waiting, looked_at = owners, 0
    del owners
    while waiting and looked_at < MOST_OBJECTS:
        parts = gc.get_referents(waiting.pop())
        held = counts(parts)
        here = Counter(map(id, parts))
        looked_at += len(parts)
        for i, address in enumerate(list(map(id, parts))):
            if address not in here:
                continue
            count = here.pop(address)
            counted[address] += count
            # all references, but those of the list of parts
            elsewhere = held[i] - (DEAD - 1) - count - counted[address]
            if address in values:
                if elsewhere == 1:
                    found.add(address)
            elif elsewhere == 0 and isinstance(parts[i], CONTAINERS):
                waiting.append(parts[i])
    return found
