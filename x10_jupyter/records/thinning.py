"""Sums up the beginning of a long window, so that what it holds stays bounded and its totals exact."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from types import MappingProxyType

import numpy as np

from x10_jupyter.records.accounting import MEASURED, TELL_CPU, TIME_NAMES, TimeName, device, making_ns, outermost, timeline, unmeasured_ns
from x10_jupyter.records.compile import from_events, tracing
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.process_events import Dispatched, Held, Profiled, Read, Sampled, Sized, Staged, Started, Throttled, Waited
from x10_jupyter.records.runtime_events import Chained, Compiled, Compiling, Dumped, Failed, FellBack, Graphed, Pending, Retraced, Stepped, Transferred
from x10_jupyter.records.step import Before, Step, Steps
from x10_jupyter.records.sweep import Nanoseconds, Timeline, clip, intersect, length_ns, total_ns
from x10_jupyter.records.thinned import Instrument, Sum, Thinned

MOST_STEPS = 4_096
"""Steps in the sample."""
LONGEST_STEPS = 512
"""Of these the longest ones, which stay."""
MOST_SUMS = 1_000
"""Things done at lines that are told apart."""

Summed = Read | Throttled | Transferred | FellBack | Retraced
"""Events that views tell of line by line."""

KEPT = (Started, Compiled, Compiling, Sized, Failed, Graphed, Dumped, Profiled, Sampled, Held, Dispatched, Pending)
"""Events that stay whole: there are never many of them, and each is looked at by itself."""


class Thinning:
    """The beginning of a window, summed up as far as it goes."""

    def __init__(self, *, thread: int, start_ns: int) -> None:
        """Begin with nothing.

        Args:
            thread: The thread that captures.
            start_ns: When the window began.
        """
        self.thread, self.start_ns = thread, start_ns
        self.until_ns = self.mark_ns = start_ns
        self.late = self.busy_ns = self.queued_ns = self.unmeasured_ns = self.compile_ns = self.device_ns = self.trace_to_compile_ns = self.step_count = 0
        self.time: Counter[TimeName] = Counter()
        self.since_mark: Counter[TimeName] = Counter()
        self.step_time: Counter[TimeName] = Counter()
        self.counts: Counter[str] = Counter()
        self.steps: list[Step] = []
        self.every = 1
        """Of the steps that are not the longest, one in so many is in the sample."""
        self.held = 0
        """How many of the events that are held were there the last time."""
        self.sums: dict[object, tuple[Event, int, Counter[TimeName]]] = {}

    def fold(self, events: Sequence[Event], oldest: int) -> tuple[list[Event], list[Event]]:
        """Sum up what ended before everything that came later began.

        Args:
            events: All that are held, as they came; first those that the last call left.
            oldest: How many of them may go.

        Returns:
            Those that stay, and those that are gone, each in the order in which they were given.
        """
        self.hear_late(events)
        until_ns = self.boundary(events, oldest)
        ended = [event for place, event in enumerate(events) if event.end_ns <= until_ns and (place < oldest or isinstance(event, Stepped))]
        beside = made_beside(events, self.thread)
        gone = [event for event in ended if not stays(event, beside)] if until_ns > self.until_ns else []
        lost = {id(event) for event in gone}
        stay = [event for event in events if id(event) not in lost]
        self.held = len(stay)
        if until_ns > self.until_ns:
            self.sum_up(events, gone, until_ns)
        return stay, gone

    def hear_late(self, events: Sequence[Event]) -> None:
        """Count what has come since the last time and had begun before it."""
        if self.until_ns > self.start_ns:
            self.late += sum(
                event.start_ns < self.until_ns and event.start_ns < event.end_ns and not isinstance(event, Stepped) for event in events[self.held :]
            )

    def boundary(self, events: Sequence[Event], oldest: int) -> int:
        """Until when it can be summed up: before all that came later began, and where a step ends, if one does, so that none is torn apart."""
        until_ns = min((event.start_ns for event in events[oldest:] if not isinstance(event, Stepped)), default=self.until_ns)
        ends = [event.end_ns for event in events if isinstance(event, Stepped) and event.thread == self.thread]
        return max((end_ns for end_ns in ends if self.until_ns < end_ns <= until_ns), default=until_ns)

    def sum_up(self, events: Sequence[Event], gone: Sequence[Event], until_ns: int) -> None:
        """Add what happened up to a moment.

        Args:
            events: All that are known.
            gone: Those of them that will be known no more.
            until_ns: The moment.
        """
        kinds, lost = Kinds(events), {id(event) for event in gone}
        found = timeline(kinds, thread=self.thread, start_ns=self.until_ns, body_end_ns=until_ns, end_ns=until_ns)
        mine = {"thread": self.thread, "start_ns": self.start_ns}
        self.busy_ns += sum(event.cpu_ns for event in outermost(kinds, TELL_CPU, **mine) if id(event) in lost)
        self.queued_ns += sum(event.queued_ns for event in outermost(kinds, MEASURED, **mine) if id(event) in lost)
        self.unmeasured_ns += unmeasured_ns(kinds, found, **mine)
        self.compile_ns += making_ns(kinds, self.until_ns, until_ns)
        self.device_ns += length_ns(clip(device(kinds), self.until_ns, until_ns))
        made = from_events(kinds.among(Compiled, Staged, Started, FellBack, Chained))
        self.trace_to_compile_ns += total_ns(found, tracing(made, self.thread, kinds.on(self.thread).spans(Waited)), "trace")
        self.counts.update(type(event).__name__ for event in gone)
        self.add_sums([event for event in gone if isinstance(event, Summed)], found)
        steps = [event for event in gone if isinstance(event, Stepped)]
        self.add_steps(Steps(steps, found, Before(self.start_ns, self.mark_ns, self.since_mark)))
        (row,) = found.table([self.until_ns], [until_ns], TIME_NAMES).tolist()
        spent: dict[TimeName, int] = dict(zip(TIME_NAMES, row, strict=True))
        self.time.update(spent)
        self.since_mark.update(spent)
        if any(isinstance(event, Stepped) and event.end_ns == until_ns and event.thread == self.thread for event in events):
            self.mark_ns, self.since_mark = until_ns, Counter()
        self.until_ns = until_ns

    def add_steps(self, found: Iterable[Step]) -> None:
        """Add steps to the sums and to the sample."""
        for step in found:
            self.step_count += 1
            self.step_time.update(step.parts)
            self.steps.append(step)
        longest = {id(step) for step in nlargest(LONGEST_STEPS, self.steps, key=lambda step: step.wall_ns)}
        while True:
            self.steps = [step for place, step in enumerate(self.steps) if place == 0 or step.index % self.every == 0 or id(step) in longest]
            if len(self.steps) <= MOST_STEPS:
                break
            self.every *= 2

    def add_sums(self, events: Sequence[Summed], found: Timeline) -> None:
        """Add events to those that did the same at the same line."""
        table = found.table([event.start_ns for event in events], [event.end_ns for event in events], TIME_NAMES)
        for event, row in zip(events, table.tolist(), strict=True):
            key = alike(event)
            if key not in self.sums and len(self.sums) >= MOST_SUMS:
                continue
            _, times, spent = self.sums.get(key) or (event, 0, Counter[TimeName]())
            if event.thread == self.thread:
                spent.update(dict(zip(TIME_NAMES, row, strict=True)))
            self.sums[key] = event, times + 1, spent

    def result(self, events: Sequence[Event], instruments: tuple[Instrument, ...] = ()) -> Thinned | None:
        """What became of the events that are gone; None if none is.

        Args:
            events: All that are left.
            instruments: The counters and metrics that the others moved.
        """
        if not self.counts:
            return None
        self.hear_late(events)
        self.held = len(events)
        return Thinned(
            until_ns=self.until_ns,
            counts=MappingProxyType(dict(self.counts)),
            late=self.late,
            time=complete(self.time),
            busy_ns=self.busy_ns,
            queued_ns=self.queued_ns,
            unmeasured_ns=self.unmeasured_ns,
            compile_ns=self.compile_ns,
            device_ns=self.device_ns,
            mark_ns=self.mark_ns,
            since_mark=complete(self.since_mark),
            step_count=self.step_count,
            step_time=complete(self.step_time),
            steps=tuple(self.steps),
            sums=tuple(Sum(event=event, times=times, time=complete(spent)) for event, times, spent in self.sums.values()),
            instruments=instruments,
            trace_to_compile_ns=self.trace_to_compile_ns,
        )


def complete(found: Mapping[TimeName, int]) -> Mapping[TimeName, int]:
    """All names in their order, zero for those that took no time."""
    return MappingProxyType({name: found.get(name, 0) for name in TIME_NAMES})


def made_beside(events: Sequence[Event], thread: int) -> Nanoseconds:
    """When threads other than one made programs that are looked at by themselves: ascending, apart from each other."""
    found = [(event.start_ns, event.end_ns) for event in events if event.thread != thread and is_compile(event)]
    return intersect(found, found)


def is_compile(event: Event) -> bool:
    """Whether it tells of a program that is looked at by itself; what JAX does for the runtime is none."""
    return isinstance(event, Compiled) or (isinstance(event, Staged) and not event.is_own)


def stays(event: Event, beside: Nanoseconds) -> bool:
    """Whether an event stays whole.

    Args:
        event: It.
        beside: When other threads made programs: what this one waited meanwhile says that these have kept it.
    """
    if isinstance(event, Waited):
        at = int(np.searchsorted(beside[:, 1], event.start_ns, "right"))
        return at < len(beside) and bool(beside[at, 0] < event.end_ns)
    return isinstance(event, KEPT) or is_compile(event)


def alike(event: Summed) -> object:
    """Equal for events that did the same at the same line."""
    match event:
        case Read():
            what = event.how, event.aval, event.is_jax, event.is_sampled
        case Throttled():
            what = event.function
        case Transferred():
            what = event.direction, event.aval
        case FellBack():
            what = event.op, event.reason
        case Retraced():
            what = event.op, event.reads
    return type(event), what, event.site, event.thread
