"""Windows of JAX's profiler, bounded and in memory, for whoever asks what each operation took."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Protocol

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.errors import gist
from x10_jupyter.jax_gate.array_reads import wait_for_all
from x10_jupyter.jax_gate.profiler_session import MakingRoom, ProfilerSession, is_in_use
from x10_jupyter.observe.executables import Executable, live
from x10_jupyter.observe.located import operations
from x10_jupyter.observe.ran import busy_ns, count, recorded
from x10_jupyter.observe.resident import resident_bytes
from x10_jupyter.records.operation import Recorded
from x10_jupyter.records.process_events import Profiled
from x10_jupyter.records.sink import Extra, FanOut

MOST_S = 10.0
"""Seconds of a capture that are profiled at most: what a loop does in ten seconds it also does later."""

MOST_RECORDS = 100_000
"""Events of the profiler that are taken; an operation makes two of them. They take 90 MB, and reading them takes a second."""

GROWN_BYTES = 32 * 2**20
"""A program of tiny operations makes a million events a second, and XLA bounds them nowhere and tells nobody how many there are. They take 270 bytes each, so
when the process has grown by so much the window ends and they are counted. If they are few, something else has grown, and another window begins at once."""

LOOK_S = 0.05
"""Seconds from one look at that to the next; 60,000 events at most."""

Ended = Literal["with_the_code", "time", "size", "yielded", "never_began", "failed"]

REASONS: Mapping[Ended, str] = {
    "with_the_code": "",
    "time": f"Only the first {MOST_S:.0f} seconds were profiled: a window is no longer.",
    "size": f"Only a part was profiled, with {MOST_RECORDS:,} events of the profiler: each takes memory, and time to be read.",
    "yielded": "Another session of the profiler began in the captured code, and there can be one only; so this one made room for it.",
    "never_began": "A session of JAX's profiler was running already, and there can be one only. Stop it with `jax.profiler.stop_trace()`, and run this again.",
}


class Session(Protocol):
    """A session of the profiler."""

    def stop(self) -> Any:  # noqa: ANN401 - a profile of JAX's
        """End, and come back with what was recorded."""
        ...


class Window(NamedTuple):
    """A window that has ended."""

    event: Profiled
    """What will be told of it."""

    profile: Any
    """What was recorded; None if nothing was."""

    executables: Collection[Executable]
    """The programs that were alive at its end."""


class Profiling:
    """Profiles as long as somebody asks for it, within bounds."""

    def __init__(
        self,
        clock: Clock,
        lines: Callable[[], Mapping[bytes, Sequence[Recorded]]] = dict,
        *,
        begin: Callable[[], Session] = ProfilerSession,
        resident: Callable[[], int] = resident_bytes,
    ) -> None:
        """Profile nothing yet.

        Args:
            clock: Tells when windows begin and end.
            lines: Tells where the operations of lazy programs were recorded.
            begin: Begins a session.
            resident: Tells how much memory the process takes.
        """
        self.events = FanOut(self._follow)
        self._clock, self._lines, self._begin, self._resident = clock, lines, begin, resident
        self._lock = threading.RLock()
        """Whoever holds it begins or ends a window."""
        self._asking = 0
        self._session: Session | None = None
        self._room: MakingRoom | None = None
        self._start_ns = self._profiled_ns = self._records = self._highest_bytes = 0
        self._windows: list[Window] = []
        """Those of which nobody has been told."""
        self._stop = threading.Event()
        self.watch: threading.Thread | None = None

    def _follow(self) -> None:
        """Profile if somebody asks for it, and not otherwise."""
        with self._lock:
            asking = self.events.takers(Profiled)
            if asking > self._asking:
                self._profiled_ns = self._records = 0
            if asking and asking != self._asking and self._session is None:
                self._open()
                self._look_after()
            elif not asking:
                self._close("with_the_code")
                self._stop.set()
                self._windows.clear()
            self._asking = asking

    def _look_after(self) -> None:
        """Let a thread end the window when it has become too long or too large."""
        if self._session is not None:
            self._stop = threading.Event()
            self.watch = threading.Thread(target=self._bound, args=(self._stop,), name="x10_jupyter profiler", daemon=True)
            self.watch.start()

    def _open(self) -> None:
        """Begin a window, if that can be."""
        self._start_ns, self._highest_bytes = self._clock.now_ns(), max(self._highest_bytes, self._resident())
        if is_in_use():
            self._keep("never_began")
            return
        try:
            room = MakingRoom()
            self._session = self._begin()
            self._room = room
            room.put(self.make_room)
        except Exception as error:  # noqa: BLE001 - the captured code runs without it
            self._keep("failed", reason=f"JAX's profiler could not be started: {gist(error)}")

    def _close(self, ended: Ended) -> None:
        """End the window, if there is one, and keep what was recorded. Whoever began it asked for it; what the profiler holds is gone at once."""
        session, self._session = self._session, None
        if session is None:
            return
        if self._room is not None:
            self._room.undo()
            self._room = None
        end_ns = self._clock.now_ns()
        try:
            profile = session.stop()
        except Exception as error:  # noqa: BLE001 - the captured code runs without it
            busy = "another session was running, and there can be one only" if "ALREADY_EXISTS" in str(error) else gist(error)
            self._keep("failed", reason=f"JAX's profiler recorded nothing: {busy}.")
            return
        records = count(profile)
        self._records += records
        self._profiled_ns += end_ns - self._start_ns
        self._keep(ended, profile, end_ns, records)

    def _keep(self, ended: Ended, profile: Any = None, end_ns: int | None = None, records: int = 0, *, reason: str = "") -> None:  # noqa: ANN401 - JAX's
        """Keep a window for whoever asked, with the programs that are alive now."""
        now_ns = self._clock.now_ns()
        end_ns = now_ns if end_ns is None else end_ns
        about = {"start_ns": self._start_ns, "end_ns": end_ns, "thread": threading.get_ident(), "site": None}
        event = Profiled(records=records, reading_ns=now_ns - end_ns, ended=ended, reason=reason or REASONS.get(ended, ""), **about)
        self._windows.append(Window(event, profile, list(live()) if profile is not None else ()))

    def _bound(self, stop: threading.Event) -> None:
        """Look again and again: what the thread does."""
        while not stop.wait(LOOK_S):
            with self._lock:
                if stop.is_set() or not self.look():
                    return

    def look(self) -> bool:
        """End the window if it is long or large enough; whether there is more to look after."""
        if self._session is None:
            return False
        if self._profiled_ns + self._clock.now_ns() - self._start_ns >= MOST_S * 1e9:
            self._close("time")
            return False
        if self._resident() - self._highest_bytes < GROWN_BYTES:
            return True
        self._close("with_the_code")
        if self._records < MOST_RECORDS:
            self._open()
            return True
        if self._windows:
            last = self._windows[-1]
            self._windows[-1] = last._replace(event=replace(last.event, ended="size", reason=REASONS["size"]))
        return False

    def make_room(self) -> None:
        """Another session is to begin; nothing that goes wrong here may keep it from that."""
        with suppress(Exception), self._lock:
            self._close("yielded")

    def drain(self) -> int | None:
        """Wait until the arrays are there that the captured code has left, if somebody asks for operations: what computes them belongs to it.

        Returns:
            When the last of them was, in nanoseconds; None if all were.
        """
        return wait_for_all(self._clock) if self.events.takers(Profiled) else None

    def conclude(self, extras: Collection[Extra]) -> None:
        """Tell what was recorded, to a capture that ends.

        Args:
            extras: What it asks for.
        """
        if "operations" not in extras:
            return
        self._stop.set()
        with self._lock:
            self._close("with_the_code")
            windows, self._windows = self._windows, []
            watch, self.watch = self.watch, None
        if watch is not None:
            watch.join()
        for window in windows:
            self.events.emit(self._read(window))

    def _read(self, window: Window) -> Profiled:
        """What is told of a window: with its operations."""
        start_ns = self._clock.now_ns()
        if window.profile is None:
            return window.event
        try:
            runs = recorded(window.profile)
            found = operations(runs, window.executables, self._lines())
        except Exception as error:  # noqa: BLE001 - the capture is there without it
            return replace(window.event, ended="failed", reason=f"What the profiler recorded could not be read: {gist(error)}")
        reading_ns = window.event.reading_ns + self._clock.now_ns() - start_ns
        return replace(window.event, operations=found, busy_ns=round(busy_ns(runs)), reading_ns=reading_ns)
