import threading

import pytest

from x10_jupyter.base.clock import ManualClock, MonotonicClock, OthersCpuClock, ThreadCpuClock, WallClock, cpu_time_of_this_thread


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
