from x10_jupyter.base.clock import ManualClock, MonotonicClock, ThreadCpuClock, WallClock


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
