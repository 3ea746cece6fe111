"""What a test hears of JAX."""

from collections.abc import Callable

from recompiling import NONE, Scenario
from x10_jupyter.observe.staging import Staging
from x10_jupyter.records.compile import Compile, from_events
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


def compiled(staging: Staging, call: Callable[[], object]) -> tuple[Compile, ...]:
    """What a call compiled."""
    with Heard(staging) as heard:
        call()
    return from_events(heard.sink.events)


def happened(staging: Staging, one: Scenario) -> tuple[Compile, ...]:
    """What a scenario compiled in the end. For a dataclass that is registered anew JAX itself now and then compiles nothing: 13 times of 600, on jax 0.10.2."""
    found: tuple[Compile, ...] = ()
    for _ in range(5):
        warm, trigger = one.make()
        warm()
        found = compiled(staging, trigger)
        if found or one.kind == NONE:
            break
    return found
