"""What the devices hold, looked at when a capture begins and ends, and between by a thread."""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import jax

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.errors import gist
from x10_jupyter.jax_gate.back_end import has_back_end
from x10_jupyter.observe.devices import Devices, arrays_on, program_bytes
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.heap_profile import HeapProfile
from x10_jupyter.observe.holdings import holdings, of_lines
from x10_jupyter.records.holding import Holding, Pinned
from x10_jupyter.records.process_events import Held, Sampled
from x10_jupyter.records.sink import Extra, FanOut

FIRST_S, EACH_S = 0.01, 0.1
"""Seconds from one look to the next, at the beginning and later: short cells are seen, too."""

CREDIT_NS = 4_000_000
"""CPU time of looks that a window has at once, so that a loop of a tenth of a second is seen between its ends, too; with many arrays it is no look."""

LEAST_REST = 200
"""So many times as long as a look takes it is until the next: half of a hundredth for the look, and as much for those who wait meanwhile. JAX lets no Python
run while it makes a profile, 1 µs for each array."""

FEWER = 200
"""A window is looked at so many times before it gets as long again: 10 times a second at first, 900 times in ten minutes, 1,700 times in ten hours."""

MARKS = 8
"""Looks of the thread's that are kept by line, spread over the time: of more the one goes that leaves the smallest gap."""

MOST_ARRAYS = 50_000
"""With more arrays nothing is looked at: it would take 75 ms and more each time."""

TOO_MANY = f"There are more than {MOST_ARRAYS:,} arrays, and to look at them would take too long."


Moment = Literal["beginning", "between", "end"]


@dataclass(slots=True)
class Look:
    """What was seen at a moment."""

    moment: Moment

    at_ns: int
    profile: HeapProfile | None
    """None if there was no back end, and so nothing."""


class Weighing:
    """Looks as long as somebody asks for it."""

    def __init__(
        self,
        clock: Clock,
        cpu_clock: Clock,
        *,
        take: Callable[[], bytes] = jax.profiler.device_memory_profile,
        devices: Devices | None = None,
        pinned: Callable[[], tuple[Pinned, ...]] = tuple,
    ) -> None:
        """Look at nothing yet.

        Args:
            clock: Tells when it looks.
            cpu_clock: Tells the CPU time of the calling thread.
            take: Makes a profile, as JAX does.
            devices: Tells what the devices say of themselves.
            pinned: Tells what JAX keeps alive.
        """
        self.events = FanOut(self._follow)
        self._clock, self._cpu_clock, self._take, self._devices, self._pinned = clock, cpu_clock, take, devices or Devices(), pinned
        self._lock = threading.RLock()
        """Whoever holds it looks, begins or ends; the collector may run while it is held."""
        self._asking = 0
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._begun_ns = self._took_ns = self._spent_ns = 0
        self._kept: list[Look] = []
        """Of which nobody has been told: those of captures that begin, the highest one, and marks."""
        self._marks: list[Look] = []
        self._highest: Look | None = None
        self._highest_bytes = -1
        self.reason = ""
        """Why it has stopped to look; empty if it has not."""

    @property
    def is_looking(self) -> bool:
        """Whether its thread runs."""
        return self._thread is not None

    def _follow(self) -> None:
        """Look if somebody asks for it, and not otherwise."""
        thread = None
        with self._lock:
            asking = self.events.takers(Held)
            if asking > self._asking:
                self._begin(is_first=self._asking == 0)
            elif not asking and self._asking:
                self._end.set()
                thread, self._thread = self._thread, None
                self._kept, self._marks, self._highest = [], [], None
            self._asking = asking
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _begin(self, *, is_first: bool) -> None:
        """A capture begins."""
        if is_first:
            self._kept, self._marks, self._highest, self._highest_bytes = [], [], None, -1
            self.reason = ""
        self._begun_ns, self._spent_ns = self._clock.now_ns(), 0
        found = self.look("beginning")
        if found is not None:
            self._kept.append(found)
        if self._thread is None:
            self._end = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(self._end,), name="x10_jupyter memory", daemon=True)
            self._thread.start()

    def _run(self, end: threading.Event) -> None:
        """Look until there is an end: what the thread does."""
        while not end.wait(rest_after(self._clock.now_ns() - self._begun_ns, self._took_ns, self._spent_ns)):
            with self._lock:
                if end.is_set() or self.reason:
                    return
                self.mark()

    def mark(self) -> None:
        """Look once, and keep it if it is one of a few."""
        found = self.look("between")
        self._spent_ns += self._took_ns
        if found is None:
            return
        self._marks.append(found)
        if len(self._marks) > MARKS:
            at = [self._begun_ns, *[mark.at_ns for mark in self._marks]]
            del self._marks[min(range(MARKS), key=lambda which: at[which + 2] - at[which])]

    def look(self, moment: Moment) -> Look | None:
        """Look once, and tell how much there is; None if it cannot be told, and then `reason` says why."""
        if self.reason:
            return None
        start_ns, cpu_start_ns = self._clock.now_ns(), self._cpu_clock.now_ns()
        try:
            found = Look(moment, start_ns, None)
            if has_back_end():
                if len(jax.live_arrays()) > MOST_ARRAYS:
                    self.reason = TOO_MANY
                    return None
                found.profile = HeapProfile(self._take())
            self._tell(found)
        except Exception as error:  # noqa: BLE001 - the captured code runs without it
            self.reason = f"JAX's profile of the devices' memory could not be had: {gist(error)}"
            return None
        self._took_ns = self._cpu_clock.now_ns() - cpu_start_ns
        return found

    def _tell(self, found: Look) -> None:
        """Tell how much was seen."""
        allocated = () if found.profile is None else found.profile.allocated
        devices = self._devices.told(arrays_on(allocated)) if found.profile is not None else ()
        programs = program_bytes(allocated)
        in_all = programs + sum(device.array_bytes for device in devices)
        if in_all > self._highest_bytes:
            self._highest, self._highest_bytes = found, in_all
        self.events.emit(Sampled(devices=devices, program_bytes=programs, start_ns=found.at_ns, end_ns=found.at_ns, thread=threading.get_ident(), site=None))

    def conclude(self, extras: Collection[Extra]) -> None:
        """Tell what there is by line, to a capture that ends.

        Args:
            extras: What it asks for.
        """
        if "memory" not in extras:
            return
        with self._lock:
            last = self.look("end")
            highest = [] if self._highest is None else [self._highest]
            looks = [*self._kept, *self._marks, *highest, *([] if last is None else [last])]
            self._kept, self._marks, self._highest = [], [], None
            reason = self.reason
        for event in self._held(sorted({look.at_ns: look for look in looks}.values(), key=lambda look: look.at_ns)):
            self.events.emit(event)
        if reason:
            self.events.emit(self._event("end", self._clock.now_ns(), reason=reason))

    def _held(self, looks: Sequence[Look]) -> list[Held]:
        """What was seen by line."""
        try:
            found = of_lines([() if look.profile is None else holdings(look.profile, self._devices.names) for look in looks])
        except ValueError as error:
            return [self._event("end", self._clock.now_ns(), reason=f"JAX's profile of the devices' memory could not be read: {gist(error)}")]
        return [self._event(look.moment, look.at_ns, held) for look, held in zip(looks, found, strict=True)]

    def _event(self, moment: Moment, at_ns: int, found: Sequence[Holding] = (), reason: str = "") -> Held:
        return Held(
            moment=moment,
            holdings=tuple(found),
            reason=reason,
            untold=self._devices.utilisation.reason,
            pinned=(guarded(self._pinned) or ()) if moment == "end" and not reason else (),
            start_ns=at_ns,
            end_ns=at_ns,
            thread=threading.get_ident(),
            site=None,
        )


def rest_after(lasted_ns: int, took_ns: int, spent_ns: int) -> float:
    """Seconds until the next look.

    Args:
        lasted_ns: How long ago the newest capture began.
        took_ns: CPU time that the last look took.
        spent_ns: CPU time that all looks took since it began.
    """
    is_free = spent_ns + took_ns <= CREDIT_NS
    return max(min(max(lasted_ns / 10, FIRST_S * 1e9), EACH_S * 1e9), lasted_ns / FEWER, 0 if is_free else took_ns * LEAST_REST) / 1e9
