"""Tells when a launched program has finished, without touching the user's values.

Each program has one scalar output besides the values asked for, its completion token. What waits on the user's own arrays would keep them alive, or fail
once they are donated. A thread waits on the tokens in the order of launching. It learns of the end only when Python lets it run, so threads that pass by
look, too, and whoever sees first that a program has finished reports it.
"""

import threading
from collections import deque
from queue import SimpleQueue
from typing import Any

import jax

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.errors import gist
from x10_jupyter.records.events import Executed, Failed
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site

MOST_DEVICES = 64
"""Devices, and meshes of them, of which it is known when they were left."""


class Launch:
    """A program under way."""

    __slots__ = ("is_reported", "launched_ns", "program", "site", "start_ns", "thread", "token")

    def __init__(self, token: jax.Array, program: str, start_ns: int, launched_ns: int, site: Site | None) -> None:
        self.token: Any = token
        self.program, self.start_ns, self.launched_ns, self.site = program, start_ns, launched_ns, site
        self.thread = threading.get_ident()
        self.is_reported = False
        """Whether somebody has taken it on to report its end."""

    def waited_for(self) -> Exception | None:
        """Wait until it has ended; returns why it failed, or None."""
        try:
            self.token.block_until_ready()
        except Exception as error:  # noqa: BLE001 - the reader of the value gets the error; here it is only reported
            return error
        return None

    def has_ended(self) -> bool:
        """Whether it has finished, or failed."""
        try:
            return self.token.is_ready()
        except Exception:  # noqa: BLE001 - the reader of the value gets the error
            return True


class Watcher:
    """Waits on completion tokens and reports each as an ``Executed`` event."""

    def __init__(self, events: FanOut, clock: Clock) -> None:
        self._events, self._clock = events, clock
        self._queue: SimpleQueue[Launch | threading.Event] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pending: deque[Launch] = deque()
        """What is not reported yet, in the order of launching."""
        self._left: dict[Any, int] = {}
        """When the last program left the devices that it ran on; a device takes one after the other."""

    def watch(self, launch: Launch) -> None:
        """Report this launch when it has finished; at once if it ran within the call that launched it."""
        if launch.has_ended():
            self._tell(launch, launch.launched_ns, launch.waited_for())
            return
        if self._thread is None:
            self._start()
        with self._lock:  # in the same order, though several threads launch
            self._pending.append(launch)
            self._queue.put(launch)

    def look(self) -> None:
        """Report what has finished; for threads that pass by."""
        while self._pending:
            try:
                first = self._pending[0]
            except IndexError:  # somebody else was quicker
                return
            if not first.has_ended():
                return
            self._report(first)

    def catch_up(self) -> None:
        """Wait until what has finished has been reported; not for what is still running."""
        with self._lock:
            pending = list(self._pending)
        if all(launch.has_ended() for launch in pending):
            self.drain()

    def drain(self) -> None:
        """Wait until everything launched so far has finished and has been reported."""
        if self._pending:
            done = threading.Event()
            self._queue.put(done)
            done.wait()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._wait, name="x10-watcher", daemon=True)
                self._thread.start()

    def _wait(self) -> None:
        while True:
            item = self._queue.get()
            if isinstance(item, threading.Event):
                item.set()
            else:
                self._report(item)

    def _report(self, launch: Launch) -> None:
        """Report the end of a launch, once it has come, unless somebody does."""
        failure = launch.waited_for()
        end_ns = self._clock.now_ns()
        with self._lock:
            if launch.is_reported:
                return
            launch.is_reported = True
        self._tell(launch, end_ns, failure)
        with self._lock:
            self._pending.remove(launch)

    def _tell(self, launch: Launch, end_ns: int, failure: Exception | None) -> None:
        common: dict[str, Any] = {"start_ns": launch.start_ns, "end_ns": end_ns, "thread": launch.thread, "site": launch.site, "program": launch.program}
        if failure is not None:
            self._events.emit(Failed(phase="execute", message=gist(failure), **common))
        else:
            began_ns = self._begun(launch, end_ns)
            self._events.emit(Executed(launched_ns=launch.launched_ns, began_ns=began_ns, **common))

    def _begun(self, launch: Launch, end_ns: int) -> int:
        """When the device could begin with a program that has ended now."""
        where = launch.token.sharding
        with self._lock:
            left_ns = self._left.get(where, 0)
            self._left[where] = max(left_ns, end_ns)
            while len(self._left) > MOST_DEVICES:  # such as those of meshes that are gone
                del self._left[next(iter(self._left))]
        return min(max(launch.start_ns, left_ns), end_ns)
