"""The start of JAX's platform, which whatever needs a device first has to wait for."""

import threading
from typing import NamedTuple

from x10_jupyter.base.clock import Clock
from x10_jupyter.jax_gate.platform_start import PlatformStart
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.staging import here
from x10_jupyter.records.process_events import Started
from x10_jupyter.records.sink import FanOut


class Moment(NamedTuple):
    """When something was, by each clock."""

    ns: int
    cpu_ns: int
    queued_ns: int


class Starting:
    """Tells of it, as long as somebody listens."""

    def __init__(self, clock: Clock, cpu_clock: Clock, queue_clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when it begins and ends.
            cpu_clock: Tells the CPU time of the calling thread.
            queue_clock: Tells how long that has waited for a core.
        """
        self.events = FanOut(self._follow)
        self._clock, self._cpu_clock, self._queue_clock = clock, cpu_clock, queue_clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self._hook: PlatformStart | None = None

    def _follow(self) -> None:
        """Hear of it if somebody listens, and not otherwise."""
        with self._lock:
            if self.events and self._hook is None:
                self._hook = PlatformStart(self._now, lambda begun: guarded(self._tell, begun))
                guarded(self._hook.put)
            elif not self.events and self._hook is not None:
                self._hook.undo()
                self._hook = None

    def _now(self) -> Moment:
        return Moment(self._clock.now_ns(), self._cpu_clock.now_ns(), self._queue_clock.now_ns())

    def _tell(self, begun: Moment) -> None:
        """Report that it has ended."""
        end = self._now()
        self.events.emit(
            Started(
                cpu_ns=end.cpu_ns - begun.cpu_ns,
                queued_ns=end.queued_ns - begun.queued_ns,
                start_ns=begun.ns,
                end_ns=end.ns,
                thread=threading.get_ident(),
                site=here(),
            )
        )
