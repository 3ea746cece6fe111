"""Counts tensors and programs as they are made, and finds out later which of them are gone.

Nothing is told when one goes: that would cost at each of them. Weak references are looked through when a cut finds that there are twice as many as the last
look has left, and when somebody asks.
"""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any
from weakref import ref

FEW = 1024
"""So many references are kept without a look."""


class Tally:
    """Things of one kind: those that may be alive, how many were made and how many are gone since it was told last."""

    __slots__ = ("gone", "known", "made", "most")

    def __init__(self) -> None:
        self.known: list[ref[Any]] = []
        self.most = FEW
        """When there are more it is time to look."""
        self.made = self.gone = 0

    def look(self) -> None:
        """Find out which are gone."""
        kept = [each for each in self.known if each() is not None]
        self.gone += len(self.known) - len(kept)
        self.known, self.most = kept, 2 * len(kept) + FEW

    def told(self) -> tuple[int, int]:
        """How many were made and how many are gone; begins anew."""
        found = self.made, self.gone
        self.made = self.gone = 0
        return found


class Census:
    """What was made and what is gone, of all threads."""

    def __init__(self, tell: Callable[[Mapping[str, int]], object]) -> None:
        """Begin with nothing.

        Args:
            tell: Takes what was counted, by name.
        """
        self._tell = tell
        self._lock = RLock()  # the collector may run while it is held, and finalizers may make tensors
        self.holders, self.programs = Tally(), Tally()
        """Tensors with data, and compiled programs."""
        self.passing = 0
        """Values that were recorded and were gone at their cut, so that they never had data."""
        self.evicted = 0
        """Programs that had to make room."""

    def cut(self, recorded: int, live: "list[ref[Any]]") -> None:
        """A trace was cut: so many values were recorded, and these of them outlive it."""
        holders, count = self.holders, len(live)
        with self._lock:
            self.passing += recorded - count
            holders.made += count
            holders.known += live
        if len(holders.known) > holders.most:
            self.settle()

    def tensor(self, t: Any) -> None:
        """A tensor with data was made that belongs to no trace."""
        self.cut(1, [ref(t)])

    def program(self, executable: Any) -> None:
        """A program was compiled."""
        with self._lock:
            self.programs.made += 1
            self.programs.known.append(ref(executable))

    def settle(self) -> None:
        """Look which are gone, and tell what was counted since the last time."""
        with self._lock:
            self.holders.look()
            self.programs.look()
            held, let_go = self.holders.told()
            compiled, forgotten = self.programs.told()
            counts = {
                "CreateXlaTensor": self.passing + held,
                "DestroyXlaTensor": self.passing + let_go,
                "CreateDataHandles": held,
                "DestroyDataHandles": let_go,
                "CreateCompileHandles": compiled,
                "ReleaseCompileHandles": self.evicted,
                "DestroyCompileHandles": forgotten,
            }
            self.passing = self.evicted = 0
        counts = {name: count for name, count in counts.items() if count}
        if counts:
            self._tell(counts)
