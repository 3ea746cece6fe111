"""A capture whose producer and clocks a test moves by hand."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from factories import ENVIRONMENT
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.records.sink import FanOut, Form
from x10_jupyter.session.capturing import Capturing
from x10_jupyter.session.live import Live, Show
from x10_jupyter.session.looked import Look
from x10_jupyter.session.producer import Producer

PATIENCE_S = 60


class Turns:
    """A ticker that lets whoever waits go on when a test says so."""

    def __init__(self) -> None:
        self._go = threading.Semaphore(0)
        self._waits = threading.Semaphore(0)
        self._is_stopped = False
        self.waits: list[float] = []
        """How long was to be waited each time, in seconds."""

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self._waits.release()
        self._go.acquire()
        return not self._is_stopped

    def stop(self) -> None:
        self._is_stopped = True
        self._go.release()

    def turn(self) -> None:
        """Let whoever waits go on, and come back when it waits again."""
        assert self._waits.acquire(timeout=PATIENCE_S), "nobody waits"
        self._go.release()
        assert self._waits.acquire(timeout=PATIENCE_S), "it waits no more"
        self._waits.release()

    def last_turn(self, name: str = "x10_jupyter live") -> None:
        """Let the thread of this name that waits go on, and come back when it has ended."""
        assert self._waits.acquire(timeout=PATIENCE_S), "nobody waits"
        self._go.release()
        for thread in threading.enumerate():
            if thread.name == name:
                thread.join(PATIENCE_S)
                assert not thread.is_alive()


@dataclass
class Stage:
    """A producer and clocks that a test moves by hand."""

    clock: ManualClock = field(default_factory=ManualClock)
    cpu_clock: ManualClock = field(default_factory=ManualClock)
    queue_clock: ManualClock = field(default_factory=ManualClock)
    events: FanOut = field(default_factory=FanOut)
    drain: Callable[[], int | None] = lambda: None
    look: Look | None = None
    turns: Turns = field(default_factory=Turns)

    def capture(self, name: str = "", *, graphs: bool | Sequence[Form] = False, ops: bool = False, memory: bool = True, source: str | None = None) -> Capturing:
        producer = Producer(events=self.events, drain=lambda: self.drain())
        return Capturing(
            name,
            producers=[producer],
            clock=self.clock,
            cpu_clock=self.cpu_clock,
            queue_clock=self.queue_clock,
            environment=lambda: ENVIRONMENT,
            graphs=graphs,
            ops=ops,
            source=source,
            look=self.look,
        )

    def live(self, show: Show, name: str = "") -> Live:
        return Live(show, name, events=[self.events], clock=self.clock, cpu_clock=self.cpu_clock, ticker=self.turns)
