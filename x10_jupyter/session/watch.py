"""Looks at something again and again, from a thread of its own."""

import contextvars
import threading
from collections.abc import Callable

from x10_jupyter.base.clock import Clock
from x10_jupyter.session.live import Ticker

EACH_S = 1.0
"""Seconds from one look to the next, at least."""

LEAST_REST = 50
"""So many times as long as a look takes it rests at least: that leaves it 2 % of a core, whatever a look costs."""


class Watch:
    """Calls something until it is stopped; what goes wrong ends it, and nothing else."""

    def __init__(self, look: Callable[[], object], *, ticker: Ticker, cpu_clock: Clock) -> None:
        """Begin.

        Args:
            look: What to call. It is called in the context of who makes this, so that a notebook finds the same cell.
            ticker: Tells when it is time.
            cpu_clock: Tells the CPU time of the calling thread.
        """
        self._look = look
        self._ticker = ticker
        self._cpu_clock = cpu_clock
        self.error: Exception | None = None
        """What ended it, if it was not stopped."""
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self.run,), name="x10_jupyter watch", daemon=True)
        self._thread.start()

    def run(self) -> None:
        """Look until there is an end: what the thread does."""
        rest_s = EACH_S
        while self._ticker.wait(rest_s):
            before_ns = self._cpu_clock.now_ns()
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - whatever goes wrong here stays here
                self.error = error
                return
            rest_s = max(EACH_S, LEAST_REST * (self._cpu_clock.now_ns() - before_ns) / 1e9)

    @property
    def is_on(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it; nothing is looked at after that."""
        self._ticker.stop()
        self._thread.join()
