"""Tells when a launched program has finished, without touching the user's values.

Each program has one scalar output besides the values asked for, its completion token. What waits on the user's own arrays would keep them alive, or fail
once they are donated. A thread waits on the tokens in the order of launching, and threads that pass by look; whoever sees first that a program has finished
reports it.

To wake the thread and to take turns with it costs the user's some 0.1 ms (two cores), which is half a step of a small model, and while Python records, it
could not see the end anyway. So it waits for long programs only. Whoever launches a program on a device that has nothing else to do waits for its end now and
then, for a hundredth of the time at most; behind others the thread does, as rarely. Of a short program the other runs are taken to be as long as that one, from
when it was known last that they had not ended, at most until they are found to have.
"""

import atexit
import threading
from collections import deque
from queue import SimpleQueue
from typing import Any

import jax

from x10_jupyter.base.clock import Clock, let_others_run
from x10_jupyter.base.errors import gist
from x10_jupyter.records.runtime_events import Executed, Failed
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site

MOST_DEVICES = 64
"""Devices, and meshes of them, of which it is known when they were left."""
SHORT_NS = 2_000_000
"""A program that takes less than this is a short one."""

SELDOM = 100
"""A program is waited for again when so many times of what was waited have gone by."""

MOST_LOOKS = 2_000
"""So often it is looked whether it has ended, at most."""

MOST_PROGRAMS = 4096
"""So many programs are remembered with their time."""


class Launch:
    """A program under way."""

    __slots__ = ("is_queued", "is_watched", "launched_ns", "program", "running_ns", "site", "start_ns", "thread", "token")

    def __init__(self, token: jax.Array, program: str, start_ns: int, launched_ns: int, site: Site | None) -> None:
        self.token: Any = token
        self.program, self.start_ns, self.launched_ns, self.site = program, start_ns, launched_ns, site
        self.running_ns = launched_ns
        """When it was known last not to have ended."""
        self.thread = threading.get_ident()
        self.is_watched = False
        """Whether the thread waits for it."""
        self.is_queued = False
        """Whether other programs had not ended when it was launched."""

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
        self._queue: SimpleQueue[Launch | threading.Event | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pending: deque[Launch] = deque()
        """What nobody has taken on to report, in the order of launching."""
        self._is_over = False
        """Whether Python is about to end, so that no thread is begun any more."""
        self._is_telling = False
        """Whether the thread has taken something on and not told it yet."""
        self._left: dict[Any, int] = {}
        """When the last program left the devices that it ran on; a device takes one after the other."""
        self._habits: dict[str, tuple[int, int]] = {}
        """For each program how long its last run took whose end was seen, and when one is to be waited for again, in nanoseconds."""

    def watch(self, launch: Launch) -> None:
        """Report this launch when it has finished; at once if it ran within the call that launched it."""
        if launch.has_ended():
            self._tell(launch, launch.launched_ns, launch.waited_for())
            return
        launch.is_queued = bool(self._pending)
        took_ns, again_ns = self._habits.get(launch.program, (0, 0))
        if launch.start_ns >= again_ns and not launch.is_queued:
            if self._ends_soon(launch):
                self._tell(launch, self._clock.now_ns(), launch.waited_for())
                return
            took_ns = self._learn(launch.program, SHORT_NS)
        # behind others nobody waits for it here
        is_unknown = launch.is_queued and (not took_ns or launch.start_ns >= again_ns + SELDOM * SHORT_NS)
        with self._lock:  # in the same order, though several threads launch
            self._pending.append(launch)
            if took_ns >= SHORT_NS or is_unknown:
                self._wait_for(launch)

    def _learn(self, program: str, took_ns: int) -> int:
        """Note how long a program takes that was waited for, and when to wait for it again."""
        with self._lock:
            while len(self._habits) >= MOST_PROGRAMS:  # those that were met first
                del self._habits[next(iter(self._habits))]
            self._habits[program] = took_ns, self._clock.now_ns() + SELDOM * took_ns
        return took_ns

    def _ends_soon(self, launch: Launch) -> bool:
        """Wait a little for a launch; whether it has ended."""
        until_ns = launch.launched_ns + SHORT_NS
        for _ in range(MOST_LOOKS):
            if launch.has_ended():
                return True
            if self._clock.now_ns() > until_ns:
                break
            let_others_run()  # the program may have a callback in Python
        return False

    def _wait_for(self, launch: Launch) -> None:
        """Let the thread wait for a launch; the lock is held."""
        if self._is_over:  # a daemon thread goes on launching
            return
        launch.is_watched = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._wait, name="x10-watcher", daemon=True)
            self._thread.start()
            atexit.register(self.end)
        self._queue.put(launch)

    def end(self) -> None:
        """Let the thread end when what was launched has, as JAX waits for it too: at its exit Python would stop the thread inside of JAX, which aborts."""
        with self._lock:
            thread, self._thread, self._is_over = self._thread, None, True
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def look(self) -> None:
        """Report what has finished; for threads that pass by."""
        while self._pending:
            try:
                first = self._pending[0]
            except IndexError:  # somebody else was quicker
                return
            if not first.has_ended():
                first.running_ns = self._clock.now_ns()
                return
            self._report(first)

    def catch_up(self) -> None:
        """Return when what has finished has been reported; does not wait for what is still running."""
        self.look()
        while self._is_telling:
            let_others_run()

    def drain(self) -> None:
        """Wait until everything launched so far has finished and has been reported."""
        self.look()
        done = threading.Event()
        with self._lock:
            for launch in self._pending:
                if not launch.is_watched:
                    self._wait_for(launch)
            if self._thread is None:
                return
            self._queue.put(done)
        done.wait()

    def _wait(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, threading.Event):
                item.set()
                continue
            item.waited_for()
            self._is_telling = True
            try:
                self._report(item)
            finally:
                self._is_telling = False

    def _report(self, launch: Launch) -> None:
        """Report the end of a launch that has come, unless somebody has taken that on."""
        end_ns = self._clock.now_ns()
        try:
            with self._lock:
                self._pending.remove(launch)  # an interrupt right behind this costs one report
        except ValueError:
            return
        self._tell(launch, end_ns, launch.waited_for(), is_exact=launch.is_watched)

    def _tell(self, launch: Launch, end_ns: int, failure: Exception | None, *, is_exact: bool | None = None) -> None:
        """Report the end of a launch.

        Args:
            launch: It.
            end_ns: When it was seen that it has ended.
            failure: Why it failed.
            is_exact: Whether that is when it ended; None if somebody waited for nothing else.
        """
        common: dict[str, Any] = {"start_ns": launch.start_ns, "thread": launch.thread, "site": launch.site, "program": launch.program}
        if failure is not None:
            self._events.emit(Failed(phase="execute", message=gist(failure), end_ns=end_ns, **common))
            return
        where = launch.token.sharding
        with self._lock:
            left_ns = self._left.get(where, 0)
            began_ns = min(max(launch.start_ns, left_ns), end_ns)
            if is_exact is False:
                took_ns, _ = self._habits.get(launch.program, (SHORT_NS, 0))
                end_ns = min(end_ns, max(launch.running_ns, began_ns + took_ns))
            self._left[where] = max(left_ns, end_ns)
            while len(self._left) > MOST_DEVICES:  # such as those of meshes that are gone
                del self._left[next(iter(self._left))]
        if is_exact is None or launch.is_watched:
            self._learn(launch.program, end_ns - began_ns)
        self._events.emit(Executed(launched_ns=launch.launched_ns, began_ns=began_ns, end_ns=end_ns, is_exact=is_exact is not False, **common))
