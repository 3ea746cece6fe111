"""Where times come from: monotonic integer nanoseconds, or a clock that tests wind by hand."""

import os
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


class QueueClock:
    """Counts while the calling thread is ready to run and others have the cores; only Linux tells that, elsewhere it stands still."""

    def __init__(self) -> None:
        self._local = threading.local()

    def now_ns(self) -> int:
        """Time that the calling thread has stood in the run queue, in nanoseconds; 0 where that is not told."""
        found = self._local.__dict__.get("file")
        if found is None or found.process != os.getpid():
            found = self._local.file = ThreadFile()
        return found.number(QUEUED)

    def close(self) -> None:
        """Keep no file open, of whatever thread; it opens one again when it is asked."""
        self._local = threading.local()


QUEUED = 1
"""Where Linux's ``schedstat`` of a thread says how long it stood in the run queue, after how long it ran."""


class ThreadFile:
    """Linux's ``schedstat`` of the calling thread, open as long as this object lives; opening it each time would take five times as long."""

    def __init__(self) -> None:
        self.process = os.getpid()
        """Whose thread it is: a child of this process has another one."""
        try:
            self._open = os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY)
        except OSError:
            self._open = -1

    def number(self, which: int) -> int:
        """A number in it; 0 if it can't be read."""
        if self._open < 0:
            return 0
        try:
            return int(os.pread(self._open, 64, 0).split()[which])
        except (OSError, ValueError, IndexError):
            return 0

    def __del__(self) -> None:
        if self._open >= 0:
            os.close(self._open)


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
