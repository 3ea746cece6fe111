import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import pytest

from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe import profiling as home
from x10_jupyter.observe.profiling import GROWN_BYTES, MOST_RECORDS, MOST_S, Profiling
from x10_jupyter.records.process_events import Profiled
from x10_jupyter.records.sink import ListSink

ASKED = ("operations",)


class Sessions:
    """Begins sessions that record what a test says; the thread that looks after them is held still."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock, self.sink = ManualClock(1_000), ListSink()
        self.begun, self.stopped, self.records, self.resident = 0, 0, 10, 0
        self.error: Exception | None = None
        monkeypatch.setattr(home, "LOOK_S", 60)
        monkeypatch.setattr(home, "count", lambda _: self.records)
        monkeypatch.setattr(home, "recorded", lambda _: [])
        self.profiling = Profiling(self.clock, begin=self.begin, resident=lambda: self.resident)

    def begin(self) -> Any:
        self.begun += 1
        return SimpleNamespace(stop=self.stop)

    def stop(self) -> Any:
        self.stopped += 1
        if self.error is not None:
            raise self.error
        return SimpleNamespace(planes=[])

    def listen(self, sink: Any = None) -> None:
        self.profiling.events.add(sink or self.sink, ASKED)

    def finish(self, sink: Any = None) -> list[Any]:
        self.profiling.conclude(ASKED)
        self.profiling.events.remove(sink or self.sink)
        return (sink or self.sink).events

    def look(self) -> bool:
        return self.profiling.look()


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sessions]:
    made = Sessions(monkeypatch)
    yield made
    made.profiling.events.remove(made.sink)
    assert made.begun == made.stopped
    assert [each for each in threading.enumerate() if each.name == "x10_jupyter profiler"] == []


def test_a_window_lasts_as_long_as_the_capture(sessions: Sessions) -> None:
    sessions.listen()
    sessions.clock.advance(500)
    (told,) = sessions.finish()
    assert (told.start_ns, told.end_ns, told.records, told.ended, told.reason) == (1_000, 1_500, 10, "with_the_code", "")


def test_nothing_is_profiled_for_those_who_do_not_ask(sessions: Sessions) -> None:
    sessions.profiling.events.add(sessions.sink)
    sessions.profiling.conclude(())
    assert (sessions.begun, sessions.sink.events) == (0, [])


def test_it_is_no_longer_than_its_bound(sessions: Sessions) -> None:
    sessions.listen()
    assert sessions.look()
    sessions.clock.advance(int(MOST_S * 1e9))
    assert not sessions.look()
    (told,) = sessions.finish()
    assert (told.ended, told.reason) == ("time", "Only the first 10 seconds were profiled: a window is no longer.")


def test_events_are_counted_when_the_process_has_grown(sessions: Sessions) -> None:
    sessions.listen()
    sessions.resident += GROWN_BYTES
    assert sessions.look()  # they were few, so another window has begun
    assert sessions.look()  # it is not counted again before more has grown
    sessions.resident += GROWN_BYTES
    sessions.records = MOST_RECORDS
    assert not sessions.look()
    first, second = sessions.finish()
    assert (sessions.begun, first.ended, second.ended) == (2, "with_the_code", "size")
    assert second.reason.startswith("Only a part was profiled, with 100,000 events")


def test_the_users_own_session_is_left_alone(sessions: Sessions, tmp_path: Path) -> None:
    jax.profiler.start_trace(str(tmp_path))
    try:
        sessions.listen()
        (told,) = sessions.finish()
    finally:
        jax.profiler.stop_trace()
    assert (sessions.begun, told.ended) == (0, "never_began")
    assert "jax.profiler.stop_trace()" in told.reason


def test_a_session_that_the_code_begins_is_made_room_for(sessions: Sessions, tmp_path: Path) -> None:
    sessions.listen()
    with jax.profiler.trace(str(tmp_path)):
        assert sessions.stopped == 1
    assert not sessions.look()
    (told,) = sessions.finish()
    assert told.ended == "yielded"


def test_a_session_that_nobody_can_see_makes_ours_fail(sessions: Sessions) -> None:
    sessions.error = RuntimeError("ALREADY_EXISTS: Another profiling session active.")
    sessions.listen()
    (told,) = sessions.finish()
    assert (told.ended, told.reason) == ("failed", "JAX's profiler recorded nothing: another session was running, and there can be one only.")


def test_what_cannot_begin_or_be_read_costs_the_code_nothing(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise ValueError("no such thing")

    monkeypatch.setattr(sessions.profiling, "_begin", broken)
    sessions.listen()
    assert sessions.finish()[0].reason == "JAX's profiler could not be started: no such thing"
    monkeypatch.setattr(sessions.profiling, "_begin", sessions.begin)
    monkeypatch.setattr(home, "recorded", broken)
    sessions.sink.events.clear()
    sessions.listen()
    assert sessions.finish()[0].reason == "What the profiler recorded could not be read: no such thing"


def test_an_inner_capture_has_its_own_window_and_the_outer_one_all(sessions: Sessions) -> None:
    inner = ListSink()
    sessions.listen()
    sessions.clock.advance(10)
    sessions.listen(inner)
    sessions.clock.advance(10)
    assert len(sessions.finish(inner)) == 1
    sessions.clock.advance(10)
    told: list[Any] = sessions.finish()
    assert [(event.start_ns, event.end_ns) for event in told] == [(1_000, 1_020), (1_020, 1_030)]


def test_a_capture_that_breaks_leaves_nothing(sessions: Sessions) -> None:
    sessions.listen()
    sessions.profiling.events.remove(sessions.sink)
    watch = sessions.profiling.watch
    if watch is not None:
        watch.join()
    sessions.profiling.watch = None
    assert (sessions.begun, sessions.stopped, sessions.sink.events) == (1, 1, [])


def test_what_the_code_has_launched_is_waited_for(sessions: Sessions) -> None:
    sessions.profiling.drain()
    sessions.listen()
    jax.numpy.ones(3)
    sessions.profiling.drain()
    assert isinstance(sessions.finish()[0], Profiled)
