"""Where times come from: monotonic integer nanoseconds, or a clock that tests wind by hand."""

import threading
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Something that tells the time."""

    def now_ns(self) -> int:
        """Monotonic time in nanoseconds; its zero means nothing."""
        ...


class MonotonicClock:
    """The machine's own clock."""

    def now_ns(self) -> int:
        """Monotonic time in nanoseconds."""
        return time.perf_counter_ns()


class WallClock:
    """The time since 1970, which may be set back."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970."""
        return time.time_ns()


class ThreadCpuClock:
    """Counts only while the calling thread runs on a CPU."""

    def now_ns(self) -> int:
        """CPU time of the calling thread in nanoseconds."""
        return time.thread_time_ns()


class OthersCpuClock:
    """Counts while the other threads of this process run on a CPU, each for itself."""

    def now_ns(self) -> int:
        """CPU time of all threads but the calling one in nanoseconds."""
        return time.process_time_ns() - time.thread_time_ns()


def cpu_time_of_this_thread() -> Callable[[], int] | None:
    """A function that tells the CPU time of the calling thread to any other; None where there is none."""
    try:
        clock = time.pthread_getcpuclockid(threading.get_ident())
        time.clock_gettime_ns(clock)
    except (AttributeError, OSError):  # not on macOS, nor on Windows
        return None
    return lambda: time.clock_gettime_ns(clock)


def let_others_run() -> None:
    """Let other threads run, if any wants to."""
    time.sleep(0)


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now_ns: int = 0) -> None:
        self.time_ns = now_ns

    def now_ns(self) -> int:
        """The time it was last set to, in nanoseconds."""
        return self.time_ns

    def advance(self, step_ns: int) -> None:
        """Move the clock on by ``step_ns`` nanoseconds."""
        self.time_ns += step_ns
