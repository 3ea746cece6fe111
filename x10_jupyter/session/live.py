"""Tells what the user's code does while it runs, from a thread of its own."""

import contextvars
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from x10_jupyter.base.clock import Clock
from x10_jupyter.records.events import Event
from x10_jupyter.records.progress import Tally
from x10_jupyter.records.sink import FanOut
from x10_jupyter.views.live import live_html, live_text

FIRST_S = 0.3
"""Seconds until something is shown; what ends before needs no telling."""

EACH_S = 0.3
"""Seconds from one time to the next, at least."""

LEAST_REST = 250
"""So many times as long as telling takes it rests at least. Sending it takes the kernel as long again, so that is below 1 % of a core, whatever it costs."""

Show = Callable[[Mapping[str, str]], bool]
"""Shows a bundle, text by MIME type, in place of the one before; false if it is not wanted any more."""


class Ticker(Protocol):
    """Tells a thread when it is time."""

    def wait(self, seconds: float) -> bool:
        """Wait for so long; false at once when it was stopped."""
        ...

    def stop(self) -> None:
        """Let nobody wait any longer."""
        ...


class SleepingTicker:
    """One that sleeps."""

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Sleep for so long; false as soon as it is stopped."""
        return not self._stopped.wait(seconds)

    def stop(self) -> None:
        """Wake who sleeps."""
        self._stopped.set()


class Lives(Protocol):
    """Makes what shows how a block goes."""

    def __call__(self, show: Show, name: str = "") -> "Live":
        """Make one that shows it so, under a name."""
        ...


class Live:
    """Shows again and again what has happened since it began, until its block ends. What goes wrong meanwhile ends the showing, and nothing else."""

    def __init__(self, show: Show, name: str = "", *, events: Sequence[FanOut], clock: Clock, cpu_clock: Clock, ticker: Ticker) -> None:
        """Prepare.

        Args:
            show: Shows a bundle. It is called in the context of who enters the block, so that it finds the same cell.
            name: What the user calls the block; may be empty.
            events: Where to listen.
            clock: The clock of those who make the events.
            cpu_clock: Tells the CPU time of the calling thread.
            ticker: Tells when it is time.
        """
        self._show = show
        self._name = name
        self._events = events
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._ticker = ticker
        self._heard = deque[Event]()
        self._tally = Tally(0)
        self._lock = threading.Lock()
        """Whoever holds it shows; so nothing is shown after the block."""
        self._ended = False
        self._thread: threading.Thread | None = None
        self.has_failed = False
        """Whether something could not be shown."""

    def emit(self, event: Event) -> None:
        """Take one event; it is looked at later, and not by the user's thread."""
        self._heard.append(event)

    def __enter__(self) -> "Live":
        self._tally = Tally(self._clock.now_ns(), self._name)
        for events in self._events:
            events.add(self, ["begun"])
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self.run,), name="x10_jupyter live", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for events in self._events:
            events.remove(self)
        self._ticker.stop()
        with self._lock:
            self._ended = True
        if self._thread is not None:
            self._thread.join()

    def run(self) -> None:
        """Show until there is an end: what the thread does."""
        try:
            rest_s = FIRST_S
            while self._ticker.wait(rest_s):
                before_ns = self._cpu_clock.now_ns()
                if not self.tell():
                    break
                rest_s = max(EACH_S, LEAST_REST * (self._cpu_clock.now_ns() - before_ns) / 1e9)
        except Exception:  # noqa: BLE001 - whatever goes wrong here stays here
            self.has_failed = True
        finally:
            for events in self._events:
                events.remove(self)

    def tell(self) -> bool:
        """Show what there is; false if no more is wanted."""
        self._tally.add([self._heard.popleft() for _ in range(len(self._heard))])
        progress = self._tally.progress(self._clock.now_ns())
        bundle = {"text/plain": live_text(progress), "text/html": live_html(progress)}
        with self._lock:
            return not self._ended and self._show(bundle)
