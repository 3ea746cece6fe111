"""Tells when a launched program has finished, without touching the user's values.

Each program has one scalar output besides the values asked for, its completion token. A thread waits on the tokens in the order of
launching; what waits on the user's own arrays would keep them alive, or fail once they are donated.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue

import jax

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.errors import gist
from x10_jupyter.records.events import Executed, Failed
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site


class Launch:
    """A program under way."""

    __slots__ = ("launched_ns", "program", "site", "start_ns", "thread", "token")

    def __init__(self, token: jax.Array, program: str, start_ns: int, launched_ns: int, site: Site | None) -> None:
        self.token, self.program, self.start_ns, self.launched_ns, self.site = token, program, start_ns, launched_ns, site
        self.thread = threading.get_ident()


class Watcher:
    """Waits on completion tokens and reports each as an ``Executed`` event."""

    def __init__(self, events: FanOut, clock: Clock) -> None:
        self._events, self._clock = events, clock
        self._queue: SimpleQueue[Launch | threading.Event] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._launched = self._reported = 0

    def watch(self, launch: Launch) -> None:
        """Report this launch when it has finished."""
        if self._thread is None:
            self._start()
        with self._lock:
            self._launched += 1
        self._queue.put(launch)

    def drain(self) -> None:
        """Wait until everything launched so far has finished and has been reported."""
        if self._launched != self._reported:
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
                self._reported += 1

    def _report(self, launch: Launch) -> None:
        emit: Callable[..., None] = self._events.emit
        common = {"start_ns": launch.start_ns, "thread": launch.thread, "site": launch.site, "program": launch.program}
        try:
            launch.token.block_until_ready()
        except Exception as error:  # noqa: BLE001 - the reader of the value gets the error; here it is only reported
            emit(Failed(end_ns=self._clock.now_ns(), phase="execute", message=gist(error), **common))
        else:
            emit(Executed(end_ns=self._clock.now_ns(), launched_ns=launch.launched_ns, **common))
