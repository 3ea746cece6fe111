"""What was compiled last in this process, whether or not a capture was on."""

from collections import deque

from x10_jupyter.records.compile import Compile, from_events
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Staged
from x10_jupyter.records.runtime_events import Compiled

MOST = 2_048
"""Compiles that are kept; some 2 kB each."""

PHASES = 3
"""Events that JAX tells of one compile: that it was traced, lowered and compiled."""


class History:
    """A sink that keeps the last compiles."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with none.

        Args:
            most: How many to keep.
        """
        self._most = most
        self._events = deque[Compiled](maxlen=most)
        self._staged = deque[Staged](maxlen=PHASES * most)
        self.is_whole = True
        """Whether it has all compiles there were."""

    def emit(self, event: Event) -> None:
        """Keep a compile, and what JAX tells of one; let everything else pass."""
        if isinstance(event, Compiled):
            self.is_whole &= len(self._events) < self._most
            self._events.append(event)
        elif isinstance(event, Staged) and not event.is_own:
            self.is_whole &= len(self._staged) < PHASES * self._most
            self._staged.append(event)

    @property
    def compiles(self) -> tuple[Compile, ...]:
        """The compiles kept, in order."""
        events = sorted((*self._events, *self._staged), key=lambda event: event.start_ns)
        return from_events(events)[-self._most :]

    def clear(self) -> None:
        """Forget them."""
        self._events.clear()
        self._staged.clear()
        self.is_whole = True
