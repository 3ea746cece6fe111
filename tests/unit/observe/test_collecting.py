import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe.collecting import Collecting
from x10_jupyter.records.sink import ListSink


class Heard:
    """What is told while it listens."""

    def __init__(self) -> None:
        self.clock, self.cpu_clock, self.queue_clock, self.sink = ManualClock(100), ManualClock(10), ManualClock(5), ListSink()
        self.collecting = Collecting(self.clock, self.cpu_clock, self.queue_clock)

    def listen(self) -> None:
        self.collecting.events.add(self.sink)

    def stop(self) -> None:
        self.collecting.events.remove(self.sink)


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    gc.disable()
    try:
        yield made
    finally:
        gc.enable()
        made.stop()


def test_a_pass_is_told_with_its_time_and_what_it_found(heard: Heard) -> None:
    heard.listen()
    heard.collecting.hear("start", {"generation": 1})
    heard.clock.advance(30)
    heard.cpu_clock.advance(20)
    heard.queue_clock.advance(6)
    heard.collecting.hear("stop", {"generation": 1, "collected": 5, "uncollectable": 0})
    event: Any = heard.sink.events[0]
    assert (event.generation, event.collected, event.cpu_ns, event.queued_ns) == (1, 5, 20, 6)
    assert (event.start_ns, event.end_ns, event.thread, event.site) == (100, 130, threading.get_ident(), None)


def test_python_calls_it_as_long_as_somebody_listens(heard: Heard) -> None:
    gc.collect()
    heard.listen()
    gc.collect()
    gc.collect(0)
    heard.stop()
    gc.collect()
    told: list[Any] = heard.sink.events
    assert [event.generation for event in told] == [2, 0]


def test_it_is_there_once_for_several_and_gone_with_the_last(heard: Heard) -> None:
    other = ListSink()
    heard.listen()
    heard.collecting.events.add(other)
    assert gc.callbacks.count(heard.collecting.hear) == 1
    heard.stop()
    assert heard.collecting.hear in gc.callbacks
    heard.collecting.events.remove(other)
    assert heard.collecting.hear not in gc.callbacks


def test_a_pass_that_had_begun_before_is_not_told(heard: Heard) -> None:
    heard.listen()
    heard.collecting.hear("stop", {"generation": 2})
    assert heard.sink.events == []
