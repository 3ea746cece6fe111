"""Python's garbage collector: when it kept everything waiting."""

import gc
import threading
from collections.abc import Mapping
from typing import Any, Literal

from x10_jupyter.base.clock import Clock
from x10_jupyter.records.process_events import Collected
from x10_jupyter.records.sink import FanOut


class Collecting:
    """Tells of each pass of the collector, as long as somebody listens."""

    def __init__(self, clock: Clock, cpu_clock: Clock, queue_clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a pass begins and ends.
            cpu_clock: Tells the CPU time of the calling thread.
            queue_clock: Tells how long that has waited for a core.
        """
        self.events = FanOut(self._follow)
        self._clock, self._cpu_clock, self._queue_clock = clock, cpu_clock, queue_clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self._begun: tuple[int, int, int] | None = None
        """When the pass that is under way began, on each clock; there is never more than one."""

    def _follow(self) -> None:
        """Hear of the collector if somebody listens, and not otherwise."""
        with self._lock:
            if not self.events:
                while self.hear in gc.callbacks:
                    gc.callbacks.remove(self.hear)
                self._begun = None
            elif self.hear not in gc.callbacks:
                gc.callbacks.append(self.hear)

    def hear(self, phase: Literal["start", "stop"], about: Mapping[str, Any]) -> None:
        """A pass begins or has ended. What this raised Python would show to the user."""
        if phase == "start":
            self._begun = self._clock.now_ns(), self._cpu_clock.now_ns(), self._queue_clock.now_ns()
        elif self._begun is not None:
            start_ns, cpu_start_ns, queue_start_ns = self._begun
            self._begun = None
            self.events.emit(
                Collected(
                    generation=about.get("generation", 2),
                    collected=about.get("collected", 0),
                    cpu_ns=self._cpu_clock.now_ns() - cpu_start_ns,
                    queued_ns=self._queue_clock.now_ns() - queue_start_ns,
                    start_ns=start_ns,
                    end_ns=self._clock.now_ns(),
                    thread=threading.get_ident(),
                    site=None,
                )
            )
