import subprocess
import sys
import threading
from typing import Any

import pytest

from x10_jupyter.base.clock import ManualClock
from x10_jupyter.lazy.watcher import SELDOM, SHORT_NS, Launch, Watcher
from x10_jupyter.records.runtime_events import Executed, Failed
from x10_jupyter.records.sink import FanOut, ListSink

WHOLE = "INTERNAL: CpuCallback error calling callback: Traceback (most recent call last):\n  File x\nValueError: no"


class Token:
    """Becomes ready, or fails, when told."""

    def __init__(self, error: Exception | None = None, sharding: str = "CPU:0") -> None:
        self.error, self.sharding = error, sharding
        self.done = threading.Event()

    def is_ready(self) -> bool:
        return self.done.is_set()

    def block_until_ready(self) -> None:
        self.done.wait()
        if self.error is not None:
            raise self.error


class Watched:
    def __init__(self) -> None:
        self.clock, self.sink, self.events = ManualClock(), ListSink(), FanOut()
        self.events.add(self.sink)
        self.watcher = Watcher(self.events, self.clock)

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
    event = Executed(start_ns=10, launched_ns=12, began_ns=10, end_ns=100, program="step_1", thread=threading.get_ident(), site=None)
    assert watched.sink.events == [event]


def test_a_program_that_ran_while_it_was_launched_is_reported_at_once(watched: Watched) -> None:
    token = Token()
    token.done.set()
    watched.clock.advance(100)
    watched.launch(token)
    event = Executed(start_ns=10, launched_ns=12, began_ns=10, end_ns=12, program="step_1", thread=threading.get_ident(), site=None)
    assert watched.sink.events == [event]


class Busy(Token):
    """Ends while it is waited for: at some look, before which time goes by."""

    def __init__(self, clock: ManualClock, looks: int, look_ns: int) -> None:
        super().__init__()
        self.clock, self.looks, self.look_ns = clock, looks, look_ns

    def is_ready(self) -> bool:
        self.looks -= 1
        self.clock.advance(self.look_ns)
        if self.looks <= 0:
            self.done.set()
        return super().is_ready()


def ends(watched: Watched) -> list[tuple[int, bool]]:
    return [(e.end_ns, e.is_exact) for e in watched.sink.events if isinstance(e, Executed)]


def test_a_new_program_is_waited_for_and_another_run_taken_to_be_as_long(watched: Watched) -> None:
    watched.launch(Busy(watched.clock, 5, 100), "step", start_ns=0, launched_ns=0)
    assert ends(watched) == [(500, True)]
    token = watched.launch(Token(), "step", start_ns=1000, launched_ns=1000)
    watched.clock.advance(4500)
    assert len(watched.sink.events) == 1, "nobody waits for it"
    token.done.set()
    watched.watcher.look()
    assert ends(watched)[1:] == [(1500, False)]
    token = watched.launch(Token(), "step", start_ns=6000, launched_ns=6000)
    watched.clock.time_ns = 6100
    token.done.set()
    watched.watcher.look()
    assert ends(watched)[2:] == [(6100, False)], "at most until it was found to have ended"


def test_it_is_waited_for_again_after_a_hundred_times_of_that(watched: Watched) -> None:
    watched.launch(Busy(watched.clock, 5, 100), "step", start_ns=0, launched_ns=0)
    watched.clock.time_ns = 500 + SELDOM * 500
    watched.launch(Busy(watched.clock, 3, 100), "step", start_ns=watched.clock.time_ns, launched_ns=watched.clock.time_ns)
    assert ends(watched)[1:] == [(500 + SELDOM * 500 + 300, True)]


def test_a_long_program_is_left_to_the_thread_and_waited_for_a_little_only_seldom(watched: Watched) -> None:
    slow = Busy(watched.clock, 10**9, SHORT_NS // 4)
    watched.launch(slow, "step", start_ns=0, launched_ns=0)
    assert 4 <= 10**9 - slow.looks <= 8
    slow.looks, slow.look_ns = 0, 0
    watched.watcher.drain()
    again = Busy(watched.clock, 10**9, 1)
    watched.launch(again, "step", start_ns=watched.clock.time_ns, launched_ns=watched.clock.time_ns)
    assert 10**9 - again.looks == 1, "only whether it ran while it was launched"
    again.looks = 0
    watched.watcher.drain()
    assert [is_exact for _, is_exact in ends(watched)] == [True, True]


def test_a_short_one_behind_a_long_one_ends_when_it_does_and_not_when_somebody_looks(watched: Watched) -> None:
    watched.launch(Busy(watched.clock, 2, 50_000), "short", start_ns=0, launched_ns=0)
    watched.clock.time_ns = 1_000_000
    long, short = [watched.launch(Token(), program, start_ns=1_000_000, launched_ns=1_000_000) for program in ("long", "short")]
    watched.clock.time_ns = 10_000_000
    long.done.set()
    watched.watcher.look()
    watched.clock.time_ns = 1_010_000_000  # Python does something else for a second
    short.done.set()
    watched.watcher.look()
    assert ends(watched) == [(100_000, True), (10_000_000, True), (10_100_000, False)]


def test_one_that_did_not_end_while_somebody_looked_ends_later(watched: Watched) -> None:
    watched.launch(Busy(watched.clock, 2, 50_000), "short", start_ns=0, launched_ns=0)
    short = watched.launch(Token(), "short", start_ns=200_000, launched_ns=200_000)
    watched.clock.time_ns = 5_000_000
    watched.watcher.look()
    watched.clock.time_ns = 9_000_000
    short.done.set()
    watched.watcher.look()
    assert ends(watched) == [(100_000, True), (5_000_000, False)]


def test_one_behind_others_of_which_nothing_is_known_is_waited_for_by_the_thread(watched: Watched) -> None:
    tokens = [watched.launch(Token(), program, start_ns=0, launched_ns=0) for program in ("long", "short")]
    watched.clock.time_ns = 9_000_000
    for token in tokens:
        token.done.set()
    watched.watcher.drain()
    assert [is_exact for _, is_exact in ends(watched)] == [True, True]


def test_one_behind_others_is_not_waited_for(watched: Watched) -> None:
    first = watched.launch(Token(), "other")
    second = Busy(watched.clock, 10**9, 1)
    watched.launch(second, "step")
    assert 10**9 - second.looks == 1
    first.done.set()
    second.looks = 0
    watched.watcher.drain()
    assert len(watched.sink.events) == 2


def test_one_that_failed_while_it_was_launched_is_reported_as_that(watched: Watched) -> None:
    token = Token(RuntimeError(WHOLE))
    token.done.set()
    watched.launch(token)
    (failed,) = watched.sink.events
    assert isinstance(failed, Failed)


def test_who_passes_by_reports_what_has_finished_and_nobody_does_so_again(watched: Watched) -> None:
    class Unseen(Token):
        """Has finished, but the thread that waits for it is not let to run."""

        def block_until_ready(self) -> None:
            if threading.current_thread().name == "x10-watcher":
                held_up.wait()
            super().block_until_ready()

    held_up = threading.Event()
    tokens = [watched.launch(Unseen(), f"step_{i}") for i in range(3)]
    watched.watcher.look()
    assert watched.sink.events == []
    tokens[0].done.set()
    tokens[1].done.set()
    watched.clock.advance(50)
    watched.watcher.look()
    assert [(e.program, e.end_ns) for e in watched.sink.events if isinstance(e, Executed)] == [("step_0", 50), ("step_1", 50)]
    tokens[2].done.set()
    held_up.set()
    watched.watcher.drain()
    assert [e.program for e in watched.sink.events if isinstance(e, Executed)] == ["step_0", "step_1", "step_2"]


def test_catching_up_waits_for_what_has_finished_and_not_for_what_has_not(watched: Watched) -> None:
    token = watched.launch(Token())
    watched.watcher.catch_up()
    assert watched.sink.events == []
    token.done.set()
    watched.watcher.catch_up()
    assert len(watched.sink.events) == 1


def test_a_device_begins_with_a_program_when_it_has_left_the_one_before(watched: Watched) -> None:
    tokens = [watched.launch(Token(sharding=where), f"step_{i}", start_ns=10 + i) for i, where in enumerate(["CPU:0", "CPU:0", "CPU:1", "CPU:0"])]
    for token, took_ns in zip(tokens, (90, 30, 0, 40), strict=True):
        watched.clock.advance(took_ns)
        token.done.set()
        watched.watcher.look()
    assert [(e.began_ns, e.end_ns) for e in watched.sink.events if isinstance(e, Executed)] == [(10, 90), (90, 120), (12, 120), (120, 160)]
    late = Token()
    late.done.set()
    watched.clock.advance(1000)
    watched.launch(late, start_ns=500, launched_ns=600)  # ran within its launch, long after
    assert [(e.began_ns, e.end_ns) for e in watched.sink.events if isinstance(e, Executed)][-1] == (500, 600)


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


def test_its_thread_ends_when_what_was_launched_has(watched: Watched) -> None:
    token = watched.launch(Token())
    asked = threading.Thread(target=watched.watcher.end)
    drained = threading.Thread(target=watched.watcher.drain)
    drained.start()  # the thread waits for it from now on
    asked.start()
    assert asked.is_alive()
    token.done.set()
    drained.join()
    asked.join()
    assert len(watched.sink.events) == 1


def test_what_is_launched_after_its_end_is_told_by_who_passes_by(watched: Watched) -> None:
    watched.launch(Token()).done.set()
    watched.watcher.drain()
    watched.watcher.end()
    token = watched.launch(Token())
    watched.watcher.drain()  # waits for nothing that nobody waits for
    assert len(watched.sink.events) == 1
    token.done.set()
    watched.watcher.look()
    assert len(watched.sink.events) == 2


LEAVING = """
import x10_jupyter as x10
from x10_jupyter.records.sink import ListSink
from x10_jupyter.lazy.producer import EVENTS

EVENTS.add(ListSink())
t = x10.tensor([[1.0] * 1000] * 1000)
for _ in range(2):
    y = t
    for _ in range(20):
        y = y @ t
    x10.barrier()
"""


def test_a_script_may_end_while_a_program_runs() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
