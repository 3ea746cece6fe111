import threading
from collections.abc import Callable
from typing import Any

import pytest

from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe.starting import Starting
from x10_jupyter.records.process_events import Started
from x10_jupyter.records.sink import ListSink


class Hook:
    """In place of the one in JAX."""

    placed: "list[Hook]" = []  # noqa: RUF012 # of one test

    def __init__(self, begin: Callable[[], Any], end: Callable[[Any], object]) -> None:
        self.begin, self.end = begin, end

    def put(self) -> None:
        self.placed.append(self)

    def undo(self) -> None:
        self.placed.remove(self)


def test_it_is_told_with_its_time_and_line_as_long_as_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.observe.starting.PlatformStart", Hook)
    clock, cpu_clock, queue_clock, sink = ManualClock(100), ManualClock(10), ManualClock(5), ListSink()
    starting = Starting(clock, cpu_clock, queue_clock)
    starting.events.add(sink)
    (hook,) = Hook.placed
    begun = hook.begin()
    clock.advance(30)
    cpu_clock.advance(20)
    queue_clock.advance(6)
    hook.end(begun)
    (event,) = sink.events
    assert isinstance(event, Started)
    assert (event.start_ns, event.end_ns, event.cpu_ns, event.queued_ns, event.thread) == (100, 130, 20, 6, threading.get_ident())
    assert event.site is not None and event.site.function.startswith("test_it_is_told")
    starting.events.remove(sink)
    assert Hook.placed == []
