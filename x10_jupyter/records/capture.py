"""Everything that happened in one window, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from x10_jupyter.records import compile as compiles
from x10_jupyter.records.accounting import TIME_NAMES, TimeName, busy_ns, spans, timeline, with_unexplained
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.events import Chained, Collected, Compiled, Event, Executed, FellBack, Graphed, Read, Retraced, Staged, Stepped
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.step import Steps
from x10_jupyter.records.sweep import Timeline, clip, length_ns


@dataclass(frozen=True, kw_only=True)
class Capture:
    """The ordered events of one window. Without slots, so that what follows from them is computed once."""

    name: str
    """What the user called it; empty when they did not."""

    start_ns: int
    """When the captured code began."""

    body_end_ns: int
    """When the captured code ended."""

    end_ns: int
    """When the last program it launched had ended, too; at least ``body_end_ns``."""

    thread: int
    """``threading.get_ident()`` of the thread that captured."""

    cpu_ns: int
    """CPU time that thread used in the window."""

    events: tuple[Event, ...]
    """Ordered by their start; some may have begun before the window."""

    environment: Environment
    """What it ran on."""

    error: str | None
    """Name and first line of the exception that ended the captured code, or None."""

    source: str | None = None
    """The captured code as text, such as a notebook's cell; None if it is not known."""

    @property
    def wall_ns(self) -> int:
        """Length of the window."""
        return self.end_ns - self.start_ns

    @cached_property
    def kinds(self) -> Kinds:
        """The events by kind."""
        return Kinds(self.events)

    @cached_property
    def timeline(self) -> Timeline:
        """What the capturing thread did when; everything that no event covers is ``python``."""
        return timeline(self.events, thread=self.thread, start_ns=self.start_ns, body_end_ns=self.body_end_ns, end_ns=self.end_ns)

    @cached_property
    def time(self) -> Mapping[TimeName, int]:
        """Nanoseconds of the capturing thread by name; they sum to ``wall_ns``."""
        (row,) = self.timeline.table([self.start_ns], [self.end_ns], TIME_NAMES).tolist()
        found = dict(zip(TIME_NAMES, row, strict=True))
        busy = busy_ns(self.kinds.among(Compiled, Staged, Collected), thread=self.thread, start_ns=self.start_ns, end_ns=self.end_ns)
        return MappingProxyType(with_unexplained(found, cpu_ns=self.cpu_ns - busy))

    @cached_property
    def compiles(self) -> tuple[Compile, ...]:
        """The programs compiled, in order."""
        return compiles.from_events(self.kinds.among(Compiled, Staged, FellBack, Chained))

    @cached_property
    def steps(self) -> Steps:
        """The steps that ended in the window, in order."""
        return Steps(self.kinds.of(Stepped), self.timeline)

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The values brought to the host, in order."""
        return tuple(self.kinds.of(Read))

    @cached_property
    def retraced(self) -> tuple[Retraced, ...]:
        """Each call of a function that had to be traced again, in order."""
        return tuple(self.kinds.of(Retraced))

    @cached_property
    def fallbacks(self) -> tuple[FellBack, ...]:
        """The operations that ran outside any program, in order."""
        return tuple(self.kinds.of(FellBack))

    @cached_property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs of the cuts, each once, in order; empty unless the capture was to have them."""
        return tuple({event.graph.id: event.graph for event in self.kinds.of(Graphed)}.values())

    @property
    def trace_ns(self) -> int:
        """Time the capturing thread spent recording operations."""
        return self.time["trace"]

    @cached_property
    def compile_ns(self) -> int:
        """Time during which any thread made the programs that `compiles` has."""
        told = [event for event in self.kinds.of(Staged) if event.phase != "trace" and not event.is_own]
        found = [(event.start_ns, event.end_ns) for event in (*self.kinds.of(Compiled), *told)]
        return length_ns(clip(found, self.start_ns, self.end_ns))

    @cached_property
    def device_ns(self) -> int:
        """Time during which any program was executing, whether or not somebody waited for it."""
        return length_ns(clip(spans(self.kinds, Executed, Chained), self.start_ns, self.end_ns))
