"""Where producers put events; they know nothing else of who reads them."""

from typing import Protocol

from x10_jupyter.records.events import Event


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

    def __init__(self) -> None:
        self.sinks: tuple[Sink, ...] = ()
        self.errors: list[Exception] = []

    def __bool__(self) -> bool:
        """Whether anybody listens; a producer asks before it makes an event."""
        return bool(self.sinks)

    def add(self, sink: Sink) -> None:
        """Let a sink listen."""
        self.sinks = (*self.sinks, sink)

    def remove(self, sink: Sink) -> None:
        """Let a sink listen no more; one that does not is ignored."""
        self.sinks = tuple(one for one in self.sinks if one is not sink)

    def emit(self, event: Event) -> None:
        """Pass one event on."""
        for sink in self.sinks:
            try:
                sink.emit(event)
            except Exception as error:  # noqa: BLE001 - whatever an observer raises stays with it
                self.errors.append(error)
                self.remove(sink)
