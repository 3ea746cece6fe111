import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from x10_jupyter.base.clock import ManualClock, MonotonicClock, OthersCpuClock, QueueClock, ThreadCpuClock, WallClock, cpu_time_of_this_thread


def test_a_manual_clock_moves_only_when_it_is_moved() -> None:
    clock = ManualClock(5)
    assert (clock.now_ns(), clock.now_ns()) == (5, 5)
    clock.advance(3)
    assert clock.now_ns() == 8


def test_real_clocks_count_up_while_the_thread_works() -> None:
    for clock in (MonotonicClock(), ThreadCpuClock()):
        start_ns = clock.now_ns()
        while clock.now_ns() == start_ns:
            pass
        assert clock.now_ns() > start_ns


def test_who_waits_for_a_core_is_told_so_and_who_sleeps_is_not() -> None:
    clock, end = QueueClock(), threading.Event()
    rivals = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        start_ns, until_ns = clock.now_ns(), time.perf_counter_ns() + 60 * 10**9
        while clock.now_ns() == start_ns and time.perf_counter_ns() < until_ns:
            pass
        assert clock.now_ns() > start_ns
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()
    before_ns, wall_ns = clock.now_ns(), time.perf_counter_ns()
    end.wait(0.2)
    assert clock.now_ns() - before_ns < time.perf_counter_ns() - wall_ns - 100 * 10**6


def test_each_thread_has_its_own_queue_and_its_file_goes_with_it() -> None:
    def files() -> int:
        return sum("schedstat" in target for target in map(where, Path("/proc/self/fd").iterdir()))

    def where(link: Path) -> str:
        return str(link.readlink()) if link.is_symlink() else ""

    clock, found = QueueClock(), list[tuple[int, int]]()
    before = files()
    clock.now_ns()
    other = threading.Thread(target=lambda: found.append((clock.now_ns(), files())))
    other.start()
    other.join()
    assert found[0][1] == before + 2
    assert files() == before + 1
    clock.close()
    assert files() == before
    assert clock.now_ns() >= 0
    assert files() == before + 1


def test_where_nothing_tells_of_the_queue_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise FileNotFoundError

    monkeypatch.setattr("os.open", refuse)
    assert QueueClock().now_ns() == 0
    monkeypatch.undo()
    clock = QueueClock()
    monkeypatch.setattr("os.pread", lambda *_: b"")
    assert clock.now_ns() == 0


def test_the_wall_clock_is_that_of_the_calendar() -> None:
    assert WallClock().now_ns() > 1_700_000_000 * 10**9


def test_the_cpu_time_of_a_thread_is_told_to_another() -> None:
    told = cpu_time_of_this_thread()
    assert told is not None
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(told()))
    other.start()
    other.join()
    assert 0 < found[0] <= told()


def test_what_other_threads_take_is_counted_without_the_calling_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.process_time_ns", lambda: 500)
    monkeypatch.setattr("time.thread_time_ns", lambda: 200)
    assert OthersCpuClock().now_ns() == 300
