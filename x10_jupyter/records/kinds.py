"""Events by kind, so that whoever wants a few of them need not go through all."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

from x10_jupyter.records.events import Event

E = TypeVar("E", bound=Event)


class Kinds:
    """Some events, sorted by kind once."""

    __slots__ = ("_found",)

    def __init__(self, events: Iterable[Event]) -> None:
        """Sort them; those of one kind stay in order."""
        found = defaultdict[type, list[Any]](list)
        for event in events:
            found[event.__class__].append(event)
        self._found = dict(found)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return self._found.get(kind, [])

    def among(self, *kinds: type[E]) -> list[E]:
        """The events of several kinds, by their start."""
        found: list[E] = [event for kind in kinds for event in self.of(kind)]
        return sorted(found, key=lambda event: event.start_ns)
