"""Holds the events of an open capture: all of them at first, and of a long one the newest, with the sums of the others."""

import threading
from collections.abc import Callable

from x10_jupyter.metrics.registry import Registry
from x10_jupyter.metrics.totals import kept
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.thinned import Thinned
from x10_jupyter.records.thinning import Thinning

MOST = 49_152
"""Events that are held; some 10,000 steps, 15 MB of memory, and half a megabyte when they are saved."""
AT_ONCE = 4_096
"""Events that are summed up at once; takes some 10 ms, and so little for each that a loop does not get slower."""


class BoundedSink:
    """A sink for one window."""

    def __init__(self, *, most: int = MOST, at_once: int = AT_ONCE) -> None:
        """Begin with nothing.

        Args:
            most: Events that are held.
            at_once: Events that are summed up when they are more.
        """
        self.events: list[Event] = []
        self._thinning = Thinning(thread=0, start_ns=0)
        self._registry = Registry()
        self._room = self._most = most
        self._at_once = at_once
        self._lock = threading.Lock()
        self._is_open = False
        self._own: Callable[[list[Event]], list[Event]] = list

    def begin(self, *, thread: int, start_ns: int, own: Callable[[list[Event]], list[Event]] = list) -> None:
        """Let the window begin.

        Args:
            thread: The thread that captures.
            start_ns: When it begins.
            own: Gives of some events those that belong to the window, before any are summed up.
        """
        self._own = own
        self._thinning = Thinning(thread=thread, start_ns=start_ns)
        self._is_open = True

    def emit(self, event: Event) -> None:
        """Take one event. The collector may run, and make one, in the midst of anything; so nobody waits here."""
        self.events.append(event)
        if len(self.events) > self._room and self._lock.acquire(blocking=False):
            try:
                self._fold()
            finally:
                self._lock.release()

    def _fold(self) -> None:
        if not self._is_open:
            return
        known = self.events[:]
        own = self._own(known)
        stay, gone = self._thinning.fold(own, max(self._at_once + len(own) - self._room, 0))
        self.events[: len(known)] = stay  # what has come meanwhile stays behind it
        self._registry.take(Kinds(gone))
        self._room = max(self._most, len(stay) + self._at_once)

    def close(self) -> None:
        """Hold whatever comes from now on: there is little of it."""
        with self._lock:
            self._is_open = False

    def thinned(self) -> Thinned | None:
        """What became of the events that are no longer held; None if all are."""
        return self._thinning.result(self.events, kept(self._registry.snapshot()))
