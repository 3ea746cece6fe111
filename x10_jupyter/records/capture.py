"""Everything that happened in one window, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from x10_jupyter.records import compile as compiles
from x10_jupyter.records.accounting import TIME_NAMES, TimeName, busy_ns, device, making_ns, queued_ns, timeline, unmeasured_ns, with_unexplained
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.events import Event
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.memory import Memory, memory
from x10_jupyter.records.operation import Operation
from x10_jupyter.records.process_events import Held, Profiled, Read, Sampled, Staged, Started, Waited
from x10_jupyter.records.profile import operations
from x10_jupyter.records.program import Program
from x10_jupyter.records.runtime_events import Chained, Compiled, FellBack, Graphed, Retraced, Stepped
from x10_jupyter.records.step import Before, Steps
from x10_jupyter.records.sweep import Nanoseconds, Timeline, clip, length_ns, total_ns
from x10_jupyter.records.thinned import Thinned

EventT = TypeVar("EventT", bound=Event)


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
    """When the last program it launched had ended, too; at least ``body_end_ns``. To find that out may take longer, which is no part of the window."""

    thread: int
    """``threading.get_ident()`` of the thread that captured."""

    cpu_ns: int
    """CPU time that thread used for the captured code."""

    events: tuple[Event, ...]
    """Ordered by their start; some may have begun before the window."""

    environment: Environment
    """What it ran on."""

    error: str | None
    """Name and first line of the exception that ended the captured code, or None."""

    source: str | None = None
    """The captured code as text, such as a notebook's cell; None if it is not known."""

    is_plain: bool = False
    """Whether it is plain JAX code that ran on lazy tensors."""

    programs: tuple[Program, ...] = ()
    """What was found out of the programs that JAX compiled, each once; only of those that somebody looked at while they were alive."""

    queued_ns: int = 0
    """Time of the captured code in which that thread was ready to run and others had the cores; 0 if it was not measured."""

    thinned: Thinned | None = None
    """What a long capture no longer holds as events, and its sums; None if it holds all of them."""

    lost: str = ""
    """Why events are missing that nothing stands for: what recording them raised, name and first line; empty if none are."""

    beside: int = 0
    """Captures that other threads had open at the same time. What those threads did in them is told there; here only while this one waited for them."""

    @property
    def wall_ns(self) -> int:
        """Length of the window."""
        return self.end_ns - self.start_ns

    @property
    def detailed_from_ns(self) -> int:
        """From when on it holds all events: the beginning of its window, unless it is thinned."""
        return self.start_ns if self.thinned is None else self.thinned.until_ns

    @cached_property
    def kinds(self) -> Kinds:
        """The events by kind."""
        return Kinds(self.events)

    @cached_property
    def timeline(self) -> Timeline:
        """What the capturing thread did when, from `detailed_from_ns` on; everything that no event covers is ``python``."""
        return timeline(self.kinds, thread=self.thread, start_ns=self.detailed_from_ns, body_end_ns=self.body_end_ns, end_ns=self.end_ns)

    @cached_property
    def time(self) -> Mapping[TimeName, int]:
        """Nanoseconds of the capturing thread by name; they sum to ``wall_ns``."""
        (row,) = self.timeline.table([self.start_ns], [self.end_ns], TIME_NAMES).tolist()
        found: dict[TimeName, int] = dict(zip(TIME_NAMES, row, strict=True))
        mine = {"thread": self.thread, "start_ns": self.start_ns}
        busy, queued = busy_ns(self.kinds, **mine), queued_ns(self.kinds, **mine)
        unmeasured = unmeasured_ns(self.kinds, self.timeline, **mine) if self.queued_ns else 0
        if self.thinned is not None:
            found = {name: ns + self.thinned.time.get(name, 0) for name, ns in found.items()}
            busy, queued = busy + self.thinned.busy_ns, queued + self.thinned.queued_ns
            unmeasured += self.thinned.unmeasured_ns
        return MappingProxyType(with_unexplained(found, cpu_ns=self.cpu_ns - busy, queued_ns=self.queued_ns - queued, unmeasured_ns=unmeasured))

    @cached_property
    def compiles(self) -> tuple[Compile, ...]:
        """The programs compiled, in order."""
        return compiles.from_events(self.kinds.among(Compiled, Staged, Started, FellBack, Chained))

    @property
    def waits(self) -> Nanoseconds:
        """When the capturing thread was seen to wait for other threads, a row for each stretch; of a long capture's beginning where one of them compiled."""
        return self.kinds.on(self.thread).spans(Waited)

    @cached_property
    def keeping(self) -> tuple[Compile, ...]:
        """Of `compiles` those that kept the capturing thread: its own, and those that other threads made while it waited for some of them."""
        return tuple(compiles.keeping(self.compiles, self.thread, self.waits))

    @cached_property
    def steps(self) -> Steps:
        """The steps that ended in the window, in order; of a long capture a sample, with all that took longest."""
        if self.thinned is None:
            return Steps(self.kinds.of(Stepped), self.timeline)
        before = Before(self.start_ns, self.thinned.mark_ns, self.thinned.since_mark)
        left_out = self.thinned.step_count - len(self.thinned.steps)
        return Steps(self.kinds.of(Stepped), self.timeline, before, self.thinned.steps, left_out)

    @property
    def step_count(self) -> int:
        """How many steps ended in the window, all of them."""
        return self.count(Stepped)

    @cached_property
    def step_time(self) -> Mapping[TimeName, int]:
        """Nanoseconds of all steps by name."""
        found: dict[TimeName, int] = {name: self.steps.total_ns(name) for name in TIME_NAMES}
        if self.thinned is not None:
            sample = self.thinned.steps
            found = {name: ns + self.thinned.step_time.get(name, 0) - sum(step.parts.get(name, 0) for step in sample) for name, ns in found.items()}
        return MappingProxyType(found)

    def counted(self, kind: type[EventT]) -> tuple[tuple[EventT, int], ...]:
        """The events of a kind, each with how often it came: of what a long capture no longer holds one that stands for those like it."""
        gone = () if self.thinned is None else tuple((one.event, one.times) for one in self.thinned.sums if isinstance(one.event, kind))
        return (*gone, *((event, 1) for event in self.kinds.of(kind)))

    def count(self, kind: type[Event]) -> int:
        """How many events of a kind there were, all of them."""
        return len(self.kinds.of(kind)) + (0 if self.thinned is None else self.thinned.counts.get(kind.__name__, 0))

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

    @property
    def known_programs(self) -> tuple[Program, ...]:
        """What was found out of its programs up to now."""
        return self.programs

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs of the cuts, each once, in order, unless the capture was not to have them; and those of JAX's programs that somebody looked at."""
        cuts = {event.graph.id: event.graph for event in self.kinds.of(Graphed)}
        return tuple({**cuts, **{each.id: each for one in self.known_programs for each in one.graphs}}.values())

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """What each operation of the programs took while the profiler ran, the longest first; empty unless the capture was to have them."""
        return operations(self.kinds.of(Profiled))

    @cached_property
    def memory(self) -> Memory | None:
        """What the devices held; None if the capture was not to look, or nothing came of it."""
        return memory(self.kinds.of(Sampled), self.kinds.of(Held), start_ns=self.start_ns, end_ns=self.end_ns)

    @property
    def trace_ns(self) -> int:
        """Time the capturing thread spent recording operations."""
        return self.time["trace"]

    @cached_property
    def trace_to_compile_ns(self) -> int:
        """Of `trace_ns`, what was traced for programs that the same thread then compiled."""
        gone = 0 if self.thinned is None else self.thinned.trace_to_compile_ns
        return gone + total_ns(self.timeline, compiles.tracing(self.compiles, self.thread, self.waits), "trace")

    @cached_property
    def compile_ns(self) -> int:
        """Time during which any thread made the programs that `compiles` has."""
        gone = 0 if self.thinned is None else self.thinned.compile_ns
        return gone + making_ns(self.kinds, self.detailed_from_ns, self.end_ns)

    @cached_property
    def device_ns(self) -> int:
        """Time during which any program was executing, whether or not somebody waited for it; of ordinary JAX what was waited for, since nobody tells more."""
        gone = 0 if self.thinned is None else self.thinned.device_ns
        return gone + length_ns(clip(device(self.kinds), self.detailed_from_ns, self.end_ns))
