import threading
from typing import Any

import pytest

from x10_jupyter.base.clock import ManualClock
from x10_jupyter.lazy.watcher import Launch, Watcher
from x10_jupyter.records.events import Executed, Failed
from x10_jupyter.records.sink import FanOut, ListSink

WHOLE = "INTERNAL: CpuCallback error calling callback: Traceback (most recent call last):\n  File x\nValueError: no"


class Token:
    """Becomes ready, or fails, when told."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.done = threading.Event()

    def block_until_ready(self) -> None:
        self.done.wait()
        if self.error is not None:
            raise self.error


class Watched:
    def __init__(self) -> None:
        self.clock, self.sink, events = ManualClock(), ListSink(), FanOut()
        events.add(self.sink)
        self.watcher = Watcher(events, self.clock)

    def launch(self, token: Any, program: str = "step_1", start_ns: int = 10, launched_ns: int = 12) -> Token:
        self.watcher.watch(Launch(token, program, start_ns, launched_ns, None))
        return token


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_program_has_executed_when_its_token_is_ready(watched: Watched) -> None:
    token = watched.launch(Token())
    watched.clock.advance(100)
    assert watched.sink.events == []
    token.done.set()
    watched.watcher.drain()
    event = Executed(start_ns=10, launched_ns=12, end_ns=100, program="step_1", thread=threading.get_ident(), site=None)
    assert watched.sink.events == [event]


def test_programs_are_reported_in_the_order_of_launching(watched: Watched) -> None:
    tokens = [watched.launch(Token(), f"step_{i}") for i in range(3)]
    for token in reversed(tokens):
        token.done.set()
    watched.watcher.drain()
    assert [e.program for e in watched.sink.events if isinstance(e, Executed)] == ["step_0", "step_1", "step_2"]


def test_a_program_that_fails_is_reported_and_the_next_one_is_watched(watched: Watched) -> None:
    watched.launch(Token(RuntimeError(WHOLE))).done.set()
    watched.launch(Token(), "step_2").done.set()
    watched.watcher.drain()
    failed, executed = watched.sink.events
    assert isinstance(failed, Failed)
    assert (failed.phase, failed.program, failed.message) == ("execute", "step_1", "INTERNAL: CpuCallback error calling callback: ValueError: no")
    assert isinstance(executed, Executed)
    assert executed.program == "step_2"


def test_draining_waits_for_what_is_under_way(watched: Watched) -> None:
    token = watched.launch(Token())
    drained = threading.Thread(target=watched.watcher.drain)
    drained.start()
    assert drained.is_alive()
    token.done.set()
    drained.join()
    assert len(watched.sink.events) == 1


def test_draining_what_never_ran_returns_at_once(watched: Watched) -> None:
    watched.watcher.drain()
    assert watched.sink.events == []
