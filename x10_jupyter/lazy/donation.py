"""Which inputs a program may overwrite: buffers that nobody can see any more, each for the output that is made from it.

JAX takes the donated inputs of one shape and dtype in order, and hands them to the outputs in order. A wrong pair costs XLA a copy of both, so the
outputs are ordered by the pairs.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from x10_jupyter.base.config import config
from x10_jupyter.lazy.counts import alone
from x10_jupyter.lazy.graph import operations, path_to
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.visible import VISIBLE

SMALL = 1 << 12
"""Bytes; what is smaller is not worth it."""


def free_leaves(leaves: list[Any]) -> tuple[int, ...]:
    """The leaves that nothing but the trace refers to, and whose buffers nobody can see by another way; none if the settings forbid to overwrite any."""
    if not config.now.donate:
        return ()
    visible = VISIBLE.known
    return tuple([i for i in alone(leaves) if id(leaves[i]) not in visible])


def is_worth(array: Any) -> bool:
    """Whether a buffer is large enough. One that is spread over several devices goes as a whole; XLA uses it if the output is spread alike."""
    return getattr(array, "nbytes", 0) >= SMALL


def wishes(leaves: list[Any], free: Iterable[int], *, copies: bool) -> list[int]:
    """The leaves that are worth donating.

    Args:
        leaves: The trace's leaves.
        free: Those that nobody can see.
        copies: Whether those that somebody can see may be copied first. That takes no more memory than a new output, and from then on the buffer is
            the runtime's own.
    """
    known = set(free)
    return [i for i, array in enumerate(leaves) if (i in known or (copies and array in VISIBLE)) and is_worth(array)]


def pairs(wish: Iterable[int], steps: Sequence[State], live: Sequence[int]) -> dict[int, int]:
    """For each leaf that is to be donated the value that takes its buffer: the nearest of its aval that it goes into.

    Args:
        wish: Leaves that may be donated.
        steps: The path.
        live: The values that are computed.
    """
    avals = [s.key[0] if isinstance(s.key, tuple) else s.key for s in steps if s.op is None]
    ops = operations(steps)
    inputs = [s.key[1:] for s in ops for _ in s.op.outs]
    outs = [aval for s in ops for aval in s.op.outs]
    left = set(wish)
    taken: dict[int, int] = {}
    for i in live:
        found = nearest_leaf(i, left, inputs, avals, outs[i])
        if found is not None:
            left.discard(found)
            taken[found] = i
    return taken


def nearest_leaf(value: int, left: set[int], inputs: list[Any], avals: list[Any], aval: Any) -> int | None:
    """The leaf of this aval that a value is made from, by the fewest operations; None if there is none among those left."""
    if not any(avals[i] is aval for i in left):
        return None
    queue, seen = deque(inputs[value]), set()
    while queue:
        ref = queue.popleft()
        if ref in seen:
            continue
        seen.add(ref)
        if ref >= 0:
            queue.extend(inputs[ref])
        elif -1 - ref in left and avals[-1 - ref] is aval:
            return -1 - ref
    return None


GAIN = 1 << 20
"""Bytes that another choice must save to be worth a compile, and a tenth of all inputs."""
PATIENCE = 3
"""So many cuts running must ask for a choice that saves less at once."""


class Choice:
    """What a program donates, and whether that still suits those who hold its inputs."""

    __slots__ = ("_doubts", "_free", "_is_worth", "_needs_copies", "leaf_count", "pairs")

    def __init__(self, pairs: dict[int, int], leaves: list[Any], free: tuple[int, ...]) -> None:
        self.pairs = pairs
        """For each leaf of the trace that is donated the value that takes its buffer."""
        self.leaf_count = len(leaves)
        self._free = free
        self._needs_copies = not set(pairs).issubset(free)
        self._is_worth = any(map(is_worth, leaves))
        self._doubts = 0

    def revised(self, leaves: list[Any], free: tuple[int, ...], state: State, live: Sequence[int]) -> dict[int, int] | None:
        """Other pairs, if they are worth a compile: some that save much more at once, or some without copies after several clashes.

        Args:
            leaves: The trace's leaves.
            free: Those that nobody can see.
            state: The end of the path.
            live: The values that are computed.
        """
        if not self._is_worth or not config.now.donate:
            return None
        if free == self._free and not self._needs_copies:
            self._doubts = 0
            return None
        self._doubts += 1
        if self._doubts not in {1, PATIENCE}:
            return None
        at_once = self._doubts == 1
        chosen = pairs(wishes(leaves, free, copies=at_once), path_to(state), live)
        changed = set(chosen) - set(self.pairs) if at_once else set(chosen) ^ set(self.pairs)
        size, total = sum(leaves[i].nbytes for i in changed), sum(getattr(a, "nbytes", 0) for a in leaves)
        return chosen if size >= GAIN and size * 10 >= total else None

    def given(self, leaves: list[Any], free: tuple[int, ...]) -> list[Any]:
        """The leaves as the program may have them: with copies of what it overwrites though somebody can see it, or though the settings forbid it now.

        Args:
            leaves: The trace's leaves.
            free: Those that nobody can see; none if the settings forbid it.
        """
        if free == self._free and not self._needs_copies:
            return leaves
        seen = set(self.pairs) - set(free)
        if not seen:
            return leaves
        return [leaf.copy() if i in seen else leaf for i, leaf in enumerate(leaves)]


def choose(leaves: list[Any], steps: Sequence[State], live: Sequence[int], chosen: dict[int, int] | None) -> Choice:
    """What a new program is to donate; nothing if the settings forbid it.

    Args:
        leaves: The trace's leaves.
        steps: The path.
        live: The values that are computed.
        chosen: The pairs, if they are decided.
    """
    if not config.now.donate:
        return Choice({}, leaves, ())
    free = free_leaves(leaves)
    return Choice(pairs(wishes(leaves, free, copies=True), steps, live) if chosen is None else chosen, leaves, free)


def other_choices(leaves: list[Any], steps: Sequence[State], live: Sequence[int], made: Choice) -> Iterator[Choice]:
    """Choices that a known program may have made where this one would be: all that is worth it, with copies of what is held; or nothing.

    Args:
        leaves: The trace's leaves.
        steps: The path.
        live: The values that are computed.
        made: The choice for a new program.
    """
    known = [made.pairs]
    for other in (pairs(wishes(leaves, range(len(leaves)), copies=True), steps, live), {}):
        if other not in known:
            known.append(other)
            yield Choice(other, leaves, free_leaves(leaves))
