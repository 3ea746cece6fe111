"""Which threads have a capture of their own open: what they do is told by that, and by no other one but of a thread that waits for them."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import spans
from x10_jupyter.records.process_events import Held, Profiled, Sampled, Waited
from x10_jupyter.records.sweep import Nanoseconds, intersect

OF_ALL = (Held, Profiled, Sampled)
"""What is told of the whole process, on whatever thread."""


@dataclass(slots=True, eq=False)
class Window:
    """A capture of a thread."""

    thread: int
    start_ns: int
    end_ns: int | None = None
    """None while it is open."""

    def holds(self, event: Event) -> bool:
        """Whether something happened on its thread, and in it."""
        return event.thread == self.thread and event.end_ns >= self.start_ns and (self.end_ns is None or event.start_ns <= self.end_ns)


@dataclass(slots=True)
class Windows:
    """Those of a process that are open, and those that were while one of them was."""

    known: list[Window] = field(default_factory=list[Window])
    lock: threading.RLock = field(default_factory=threading.RLock)  # the collector may run while it is held

    def open(self, thread: int, start_ns: int) -> Window:
        """A capture begins.

        Args:
            thread: On which thread.
            start_ns: When.
        """
        made = Window(thread, start_ns)
        with self.lock:
            self.known.append(made)
        return made

    def close(self, window: Window, end_ns: int) -> None:
        """A capture ends.

        Args:
            window: It.
            end_ns: When.
        """
        with self.lock:
            window.end_ns = end_ns
            oldest_ns = min((one.start_ns for one in self.known if one.end_ns is None), default=None)
            self.known = [one for one in self.known if oldest_ns is not None and (one.end_ns is None or one.end_ns >= oldest_ns)]

    def beside(self, window: Window, end_ns: int) -> list[Window]:
        """The captures of other threads that are, or were, open at the same time as one.

        Args:
            window: It.
            end_ns: When it ends.
        """
        with self.lock:
            known = list(self.known)
        return [one for one in known if one.thread != window.thread and one.start_ns < end_ns and (one.end_ns is None or one.end_ns > window.start_ns)]


WINDOWS = Windows()


def mine(events: Iterable[Event], others: Sequence[Window], thread: int) -> list[Event]:
    """Events without what other threads did under captures of their own; what a thread waits for is its own all the same.

    Args:
        events: In any order.
        others: The captures of other threads.
        thread: The one that captures.
    """
    found = list(events)
    if not others:
        return found
    waits = spans([event for event in found if isinstance(event, Waited) and event.thread == thread])
    seen = intersect(waits, waits)
    return [event for event in found if isinstance(event, OF_ALL) or not any(one.holds(event) for one in others) or is_waited_for(event, seen)]


def is_waited_for(event: Event, waits: Nanoseconds) -> bool:
    """Whether the thread that captures waited while something happened on another one.

    Args:
        event: It. What that waited for in turn says nothing of its own.
        waits: When it waited: ascending, and apart from each other.
    """
    if isinstance(event, Waited):
        return False
    at = int(np.searchsorted(waits[:, 1], event.start_ns, "right"))
    return at < len(waits) and bool(waits[at, 0] <= event.end_ns)
