"""A capture whose producer and clocks a test moves by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field

from factories import ENVIRONMENT
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.records.sink import FanOut
from x10_jupyter.session.capturing import Capturing
from x10_jupyter.session.producer import Producer


@dataclass
class Stage:
    """A producer and clocks that a test moves by hand."""

    clock: ManualClock = field(default_factory=ManualClock)
    cpu_clock: ManualClock = field(default_factory=ManualClock)
    events: FanOut = field(default_factory=FanOut)
    drain: Callable[[], None] = lambda: None

    def capture(self, name: str = "", *, graphs: bool = False) -> Capturing:
        producer = Producer(events=self.events, drain=lambda: self.drain())
        return Capturing(name, producers=[producer], clock=self.clock, cpu_clock=self.cpu_clock, environment=lambda: ENVIRONMENT, graphs=graphs)
