"""Where producers put events; they know nothing else of who reads them."""

from collections.abc import Callable, Iterable
from threading import RLock
from typing import Literal, Protocol, get_args

from x10_jupyter.records.events import Compiling, Dumped, Event, Graphed, Profiled

Form = Literal["hlo", "stablehlo", "jaxpr"]
"""Texts of a program that only JAX can make."""

FORMS: tuple[Form, ...] = get_args(Form)

Extra = Literal["graphs", "dumps", "begun", "operations"] | Form
"""What is only made for a sink that asks for it: the graph of each cut, and its text in forms that only JAX can make; programs that failed or were slow; what
has only begun; the time of each operation."""

ASKED: dict[type, Extra] = {Graphed: "graphs", Dumped: "dumps", Compiling: "begun", Profiled: "operations"}
"""Events that only those get who ask for them."""


class Sink(Protocol):
    """Takes events as they happen, from any thread."""

    def emit(self, event: Event) -> None:
        """Take one event; must be quick and must not raise."""
        ...


class ListSink:
    """Keeps every event, in the order of arrival."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Append the event."""
        self.events.append(event)


class FanOut:
    """Passes each event on to every sink that listens; a producer owns one.

    A sink that fails is dropped and its error kept, so that an observer never breaks what it observes.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """Begin with no sink.

        Args:
            changed: Called when a sink has begun to listen or listens no more; for a producer whose hooks are only there while somebody listens.
        """
        self._changed = changed
        self._lock = RLock()  # captures may begin and end on several threads
        self.sinks: tuple[Sink, ...] = ()
        self.errors: list[Exception] = []
        self.wanted: frozenset[Extra] = frozenset()
        """What somebody asks for beside the usual events; a producer looks here before it makes any of it."""
        self._extras: dict[int, frozenset[Extra]] = {}
        self._takers: dict[type, tuple[Sink, ...]] = dict.fromkeys(ASKED, ())
        self._lock = RLock()
        """Whoever holds it changes who listens; passing events on needs none."""

    def __bool__(self) -> bool:
        """Whether anybody listens; a producer asks before it makes an event."""
        return bool(self.sinks)

    def add(self, sink: Sink, extras: Iterable[Extra] = ()) -> None:
        """Let a sink listen.

        Args:
            sink: It.
            extras: What it asks for beside the usual events.
        """
        with self._lock:
            self._extras[id(sink)] = frozenset(extras)
            self._put((*self.sinks, sink))
        self._changed()

    def remove(self, sink: Sink) -> None:
        """Let a sink listen no more; one that does not is ignored."""
        with self._lock:
            self._extras.pop(id(sink), None)
            self._put(tuple(one for one in self.sinks if one is not sink))
        self._changed()

    def _put(self, sinks: tuple[Sink, ...]) -> None:
        asked = [(one, self._extras[id(one)]) for one in sinks]
        self._takers = {kind: tuple(one for one, extras in asked if extra in extras) for kind, extra in ASKED.items()}
        self.wanted = frozenset[Extra]().union(*[extras for _, extras in asked])
        self.sinks = sinks

    def takers(self, kind: type) -> int:
        """How many sinks get events of a kind."""
        return len(self._takers.get(kind, self.sinks))

    def emit(self, event: Event) -> None:
        """Pass one event on."""
        for sink in self._takers.get(event.__class__, self.sinks):
            try:
                sink.emit(event)
            except Exception as error:  # noqa: BLE001 - whatever an observer raises stays with it
                self.errors.append(error)
                self.remove(sink)
