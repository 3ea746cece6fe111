"""What was compiled last in this process, whether or not a capture was on."""

from collections import deque

from x10_jupyter.records.compile import Compile, from_event
from x10_jupyter.records.events import Compiled, Event

MOST = 256
"""Compiles that are kept; some 2 kB each."""


class History:
    """A sink that keeps the last compiles."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with none.

        Args:
            most: How many to keep.
        """
        self._events = deque[Compiled](maxlen=most)

    def emit(self, event: Event) -> None:
        """Keep a compile; let everything else pass."""
        if isinstance(event, Compiled):
            self._events.append(event)

    @property
    def compiles(self) -> tuple[Compile, ...]:
        """The compiles kept, in order."""
        return tuple(map(from_event, tuple(self._events)))

    def clear(self) -> None:
        """Forget them."""
        self._events.clear()
