"""Where producers put events; they know nothing else of who reads them."""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import RLock
from typing import Literal, Protocol, get_args

from x10_jupyter.base.errors import named
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Held, Profiled, Sampled
from x10_jupyter.records.runtime_events import Compiling, Dumped, Graphed

LOG = logging.getLogger(__name__)

Form = Literal["hlo", "stablehlo", "jaxpr"]
"""Texts of a program that only JAX can make."""

FORMS: tuple[Form, ...] = get_args(Form)

Extra = Literal["graphs", "dumps", "begun", "operations", "memory"] | Form
"""What is only made for a sink that asks for it: the graph of each cut, and its text in forms that only JAX can make; programs that failed or were slow; what
has only begun; the time of each operation; what devices hold."""

ASKED: dict[type, Extra] = {Graphed: "graphs", Dumped: "dumps", Compiling: "begun", Profiled: "operations", Sampled: "memory", Held: "memory"}
"""Events that only those get who ask for them."""


TOLD = set[int]()
"""Sinks of whose failure the log has told: one that listens to several producers fails with each."""


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

    A sink that fails is dropped, so that an observer never breaks what it observes. The log tells it once, and whoever owns the sink can ask: what it holds is
    not all that happened.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """Begin with no sink.

        Args:
            changed: Called when a sink has begun to listen or listens no more; for a producer whose hooks are only there while somebody listens.
        """
        self._changed = changed
        self.sinks: tuple[Sink, ...] = ()
        self._failures: dict[int, str] = {}
        """Of sinks that were dropped, why. As text: an error would keep alive what it passed through."""
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
            self._failures.pop(id(sink), None)
            TOLD.discard(id(sink))
            self._extras[id(sink)] = frozenset(extras)
            self._put((*self.sinks, sink))
        self._changed()

    def remove(self, sink: Sink) -> None:
        """Let a sink listen no more; one that does not is ignored."""
        with self._lock:
            self._failures.pop(id(sink), None)
            self._extras.pop(id(sink), None)
            self._put(tuple(one for one in self.sinks if one is not sink))
        self._changed()

    def _put(self, sinks: tuple[Sink, ...]) -> None:
        asked = [(one, self._extras[id(one)]) for one in sinks]
        self._takers = {kind: tuple(one for one, extras in asked if extra in extras) for kind, extra in ASKED.items()}
        self.wanted = frozenset[Extra]().union(*[extras for _, extras in asked])
        self.sinks = sinks

    def failure(self, sink: Sink) -> str:
        """Why a sink was dropped, name and message of what it raised; empty if it was not. To be asked before it is removed."""
        return self._failures.get(id(sink), "")

    def _drop(self, sink: Sink, error: Exception) -> None:
        """Pass nothing on to a sink that has failed, and tell that."""
        self.remove(sink)
        self._failures[id(sink)] = named(error)
        if id(sink) in TOLD:
            return
        TOLD.add(id(sink))
        with suppress(Exception):  # the log's handlers are the user's
            LOG.warning("%s failed, so it hears no more of what happens, and what it holds is not complete: %s", type(sink).__name__, named(error))

    def takers(self, kind: type) -> int:
        """How many sinks get events of a kind."""
        return len(self._takers.get(kind, self.sinks))

    def emit(self, event: Event) -> None:
        """Pass one event on."""
        for sink in self._takers.get(event.__class__, self.sinks):
            try:
                sink.emit(event)
            except Exception as error:  # noqa: BLE001 - whatever an observer raises stays with it
                self._drop(sink, error)
