"""Waits that pass all hooks, seen by a thread that looks where others stand: reads through C, launches that have to wait, and what another thread does."""

import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

from x10_jupyter.base.clock import Clock, cpu_time_of_this_thread
from x10_jupyter.jax_gate.array_reads import are_ready
from x10_jupyter.jax_gate.back_end import live_arrays
from x10_jupyter.observe.awaiting import awaiting
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.launching import Launching
from x10_jupyter.observe.standing import Place, standing
from x10_jupyter.records.process_events import Read, Throttled, Waited
from x10_jupyter.records.sink import FanOut

EACH_S = 0.005
"""Seconds from one look to the next, at least; a look takes 20 µs."""

LEAST_REST = 200
"""So many times as long as all looks took it lasts at least until the next: that is below 1 % of a core, whatever they cost,"""

CREDIT_NS = 5_000_000
"""but for so much, since the first look at a line reads its source."""

MOST_CPU = 0.2
"""A thread that used less of the time between two looks on a CPU waited for most of it. One that computes, or runs Python and is seen at the same call twice by
chance, uses all of it."""

MOST_NS = 250_000_000
"""A wait that is longer is told in parts, since what is told late is not counted in a long capture."""


class Look(NamedTuple):
    """What was seen at a moment."""

    at_ns: int
    cpu_ns: int
    """CPU time of the thread."""
    where: tuple[CodeType, int] | None
    """The instruction that the thread is at; None if it is gone, or on a CPU."""
    place: Place | None
    """The call, if it is one that reads arrays, launches a program, or waits for another thread."""
    is_pending: bool
    """Whether there was something to wait for: another thread, an array that the device had not computed, or one that is given away to a launch."""


class Stretches:
    """Finds the stretches in which a thread waited at one call, from one look to the next."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.last: Look | None = None
        self.open: tuple[Place, int, int] | None = None
        """The call at which the thread waits, and since and until when it is known to."""

    def add(self, look: Look) -> tuple[Place, int, int] | None:
        """Take a look; gives a stretch that is over.

        Args:
            look: What was seen.
        """
        last, self.last = self.last, look
        place = waited(last, look) if last is not None else None
        if last is None or place is None:
            return self.close()
        if self.open is not None and self.open[0] == place and look.at_ns - self.open[1] <= MOST_NS:
            self.open = place, self.open[1], look.at_ns
            return None
        over = self.close()
        self.open = place, last.at_ns, look.at_ns
        return over

    def close(self) -> tuple[Place, int, int] | None:
        """End the stretch that is open, if one is."""
        over, self.open = self.open, None
        return over


def waited(before: Look, after: Look) -> Place | None:
    """The call at which the thread waited between two looks; None if that is not certain.

    It is if both found it at the same instruction of such a call, or at launches, while there was something to wait for, and it was on a CPU for little of the
    time.
    """
    is_same = (before.where == after.where and before.place == after.place) or (is_launch(before) and is_launch(after))
    is_certain = is_same and before.is_pending and after.is_pending
    return after.place if is_certain and is_resting(before.at_ns, after.at_ns, after.cpu_ns - before.cpu_ns) else None


def is_launch(look: Look) -> bool:
    """Whether the thread launched a program."""
    return look.place is not None and look.place.kind == "launch"


def is_resting(start_ns: int, end_ns: int, used_ns: int) -> bool:
    """Whether a thread was on a CPU for little of the time from one look to the next.

    Args:
        start_ns: When the one was.
        end_ns: When the next was.
        used_ns: CPU time of the thread between.
    """
    return used_ns <= MOST_CPU * (end_ns - start_ns)


class Watched:
    """A thread that is looked at."""

    def __init__(self, thread: int, cpu_ns: Callable[[], int]) -> None:
        """Begin with nothing seen.

        Args:
            thread: Which.
            cpu_ns: Tells its CPU time; raises when it has ended.
        """
        self.thread, self.cpu_ns = thread, cpu_ns
        self.stretches = Stretches()
        self.listening = 0
        """How many listen that began to do so on it."""


class Sampling:
    """Looks as long as somebody listens, at the threads that began to listen."""

    def __init__(self, clock: Clock, cpu_clock: Clock, launching: Launching) -> None:
        """Look at nothing yet.

        Args:
            clock: Tells when it looks.
            cpu_clock: Tells the CPU time of the calling thread.
            launching: Knows where programs are launched.
        """
        self.events = FanOut(self._follow)
        self._clock, self._cpu_clock, self._launching = clock, cpu_clock, launching
        self._lock = threading.RLock()  # the collector may run while it is held
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._watched: dict[int, Watched] = {}
        self._listening = 0

    @property
    def is_looking(self) -> bool:
        """Whether its thread runs."""
        return self._thread is not None

    def _follow(self) -> None:
        """Look if somebody listens, and not otherwise."""
        thread = None
        with self._lock:
            more, self._listening = len(self.events.sinks) - self._listening, len(self.events.sinks)
            guarded(self._watch, more)
            if self.events and self._watched and self._thread is None:
                guarded(self._begin)
            elif not self.events and self._thread is not None:
                self._end.set()
                thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _watch(self, more: int) -> None:
        """Watch the calling thread as long as something listens that it has let listen.

        Args:
            more: How many listen more than before.
        """
        if not self.events:
            self._watched = {}
            return
        thread = threading.get_ident()
        mine = self._watched.get(thread)
        if mine is None and more > 0:
            cpu_ns = cpu_time_of_this_thread()
            if cpu_ns is None:  # nobody tells the CPU time of another thread, so nothing would be certain
                return
            mine = self._watched[thread] = Watched(thread, cpu_ns)
        if mine is not None:
            mine.listening += more
            if mine.listening <= 0:
                self._tell(mine, mine.stretches.close())
                del self._watched[thread]

    def _begin(self) -> None:
        """Begin to look."""
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._end,), name="x10_jupyter reads", daemon=True)
        self._thread.start()

    def _run(self, end: threading.Event) -> None:
        """Look until there is an end: what the thread does."""
        rest_s, begun_ns, begun_cpu_ns = EACH_S, self._clock.now_ns(), self._cpu_clock.now_ns()
        while not end.wait(rest_s):
            for one in list(self._watched.values()):
                guarded(self._look, one)
            rest_s = rest_after(self._clock.now_ns() - begun_ns, self._cpu_clock.now_ns() - begun_cpu_ns)

    def _look(self, one: Watched) -> None:
        """Look once; where a thread stands that was on a CPU until now is not asked, since that takes twice as long as all else."""
        at_ns, last = self._clock.now_ns(), one.stretches.last
        try:
            used_ns = one.cpu_ns()
        except OSError:  # it has ended without a word
            self._watched.pop(one.thread, None)
            return
        if last is not None and not is_resting(last.at_ns, at_ns, used_ns - last.cpu_ns):
            self.seen(one, at_ns, used_ns, None)
            return
        frame = sys._current_frames().get(one.thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] # its documented name
        self.seen(one, at_ns, used_ns, frame)

    def seen(self, one: Watched, at_ns: int, cpu_ns: int, frame: FrameType | None) -> None:
        """Take what a look has found.

        Args:
            one: Whom it was at.
            at_ns: When it was.
            cpu_ns: CPU time of the thread by then.
            frame: The thread's innermost frame.
        """
        place = None if frame is None else awaiting(frame) or standing(frame) or self._launching.standing(frame)
        is_pending = place is not None and self._is_pending(place)
        with self._lock:
            self._tell(one, one.stretches.add(Look(at_ns, cpu_ns, None if frame is None else (frame.f_code, frame.f_lasti), place, is_pending)))

    def _is_pending(self, place: Place) -> bool:
        """Whether there is something to wait for at a call."""
        return place.kind == "thread" or not are_ready(live_arrays()) or (place.kind == "launch" and self._launching.is_under_way())

    def settle(self) -> None:
        """Tell of the wait of the calling thread that was seen last."""
        with self._lock:
            one = self._watched.get(threading.get_ident())
            if one is not None:
                self._tell(one, one.stretches.close())

    def _tell(self, one: Watched, over: tuple[Place, int, int] | None) -> None:
        """Report a wait."""
        if over is not None:
            place, start_ns, end_ns = over
            if place.kind == "thread":
                self.events.emit(Waited(how=place.how, start_ns=start_ns, end_ns=end_ns, thread=one.thread, site=place.site))
                return
            if place.kind == "launch":
                self.events.emit(Throttled(function=place.how, start_ns=start_ns, end_ns=end_ns, thread=one.thread, site=place.site))
                return
            self.events.emit(
                Read(
                    how=place.how,
                    aval="",
                    size_bytes=0,
                    pending_ops=0,
                    ready_ns=end_ns,
                    is_jax=True,
                    is_sampled=True,
                    start_ns=start_ns,
                    end_ns=end_ns,
                    thread=one.thread,
                    site=place.site,
                )
            )


def rest_after(lasted_ns: int, spent_ns: int) -> float:
    """Seconds until the next look.

    Args:
        lasted_ns: How long there have been looks.
        spent_ns: CPU time that they took.
    """
    return max(EACH_S, (LEAST_REST * (spent_ns - CREDIT_NS) - lasted_ns) / 1e9)
