"""What a test hears of JAX."""

from x10_jupyter.observe.staging import Staging
from x10_jupyter.records.process_events import Staged
from x10_jupyter.records.sink import ListSink


class Heard:
    """What is told of JAX while it listens."""

    def __init__(self, staging: Staging) -> None:
        self.staging, self.sink = staging, ListSink()

    def __enter__(self) -> "Heard":
        self.staging.events.add(self.sink)
        return self

    def __exit__(self, *_: object) -> None:
        self.staging.events.remove(self.sink)

    @property
    def events(self) -> list[Staged]:
        return [event for event in self.sink.events if isinstance(event, Staged)]

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(event.phase, event.function) for event in self.events]
