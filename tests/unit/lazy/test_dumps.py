"""Programs that failed or were slow are handed to who asks for them, and only then are they written down."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.base.config import config
from x10_jupyter.lazy.dumps import dumping
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.runtime_events import Dumped
from x10_jupyter.records.sink import ListSink


class Lowered:
    def __init__(self) -> None:
        self.asked = 0

    def as_text(self, dialect: str) -> str:
        self.asked += 1
        if self.asked > 1:
            raise RuntimeError("no such dialect")
        return f"HloModule in {dialect}"


@contextmanager
def asking() -> Iterator[list[Any]]:
    sink = ListSink()
    EVENTS.add(sink, ["dumps"])
    try:
        yield sink.events
    finally:
        EVENTS.remove(sink)


def test_a_slow_one(clock: ManualClock) -> None:
    with asking() as events, config(XLA_COMPILE_TIME_THRESHOLD=2):
        for took_ns in (1_999_999_999, 2_000_000_000):
            with dumping(Lowered(), user_line()):
                clock.advance(took_ns)
    assert [(event.why, event.hlo, event.compile_ns) for event in events] == [("slow", "HloModule in hlo", 2_000_000_000)]


def test_one_that_fails() -> None:
    with asking() as events, pytest.raises(ZeroDivisionError), dumping(Lowered(), user_line()):
        raise ZeroDivisionError
    assert [(event.why, event.hlo) for event in events] == [("failed", "HloModule in hlo")]


def test_nobody_asks_nobody_pays(clock: ManualClock) -> None:
    lowered = Lowered()
    with config(XLA_COMPILE_TIME_THRESHOLD=0), dumping(lowered, user_line()):
        clock.advance(1)
    with pytest.raises(ZeroDivisionError), dumping(lowered, user_line()):
        raise ZeroDivisionError
    assert lowered.asked == 0


def test_one_that_cannot_be_written_is_logged_and_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    lowered = Lowered()
    lowered.asked = 1
    with asking() as events, config(XLA_COMPILE_TIME_THRESHOLD=0), dumping(lowered, user_line()):
        pass
    assert events == []
    assert caplog.messages == ["A program could not be written as HLO"]


def test_the_runtime_tells_of_its_programs() -> None:
    with asking() as events, config(XLA_COMPILE_TIME_THRESHOLD=0):
        float((x10.tensor(np.ones(3, np.float32)) * 2.0).sum())
    (event,) = [event for event in events if isinstance(event, Dumped)]
    assert event.hlo.startswith("HloModule jit_")
    assert "ENTRY" in event.hlo
