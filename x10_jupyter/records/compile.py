"""One compile as a reader of a capture finds it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from x10_jupyter.records.accounting import phases
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Staged, Started
from x10_jupyter.records.runtime_events import Chained, Compiled, FellBack
from x10_jupyter.records.site import Site
from x10_jupyter.records.sweep import Interval, Intervals, intersect, length_ns, union


@dataclass(frozen=True, slots=True, kw_only=True)
class Compile:
    """A program that was compiled, what it cost and why it was not among the known ones."""

    function: str
    """What was compiled: for a trace the function with the cut."""

    start_ns: int
    """When its first phase began."""

    end_ns: int
    """When its last phase ended."""

    thread: int
    """Which thread it was made on."""

    seconds: float
    """Duration of all phases together; JAX may do something else between them."""

    phases: Mapping[str, float]
    """Seconds by phase: ``trace``, ``lower``, ``compile``."""

    call_site: Site | None
    """The line that asked for it, or None when it could not be told."""

    definition_site: Site | None
    """Where it is defined: the line of a trace's first operation, or of a function that JAX compiles; None when it could not be told."""

    program: str
    """Name of the program, unique in its process."""

    cache: Literal["none", "hit", "miss"]
    """What the persistent cache said; ``none`` when it was off."""

    cause: Cause
    """Why it was compiled."""

    ops: int | None
    """Operations in the program; None if JAX does not tell."""

    maker: Literal["runtime", "jax"] = "runtime"
    """Who asked for it: the lazy runtime for a trace, or JAX for a function of the user's ``jax.jit`` or an operation that ran at once."""

    is_eager: bool = False
    """Whether it is an operation of JAX's own that ran at once, such as ``jnp.sin`` outside any ``jax.jit``: a program of an operation or a few."""

    @property
    def is_recompile(self) -> bool:
        """Whether something like it is known to have been compiled before. Of what JAX compiles for others that is not known, unless there is a cause."""
        return self.cause.kind != "first" and not self.is_unexplained

    @property
    def is_unexplained(self) -> bool:
        """Whether it is not known if something like it had been compiled before."""
        return self.maker == "jax" and self.cause.kind == "unknown"


def from_events(events: Sequence[Event]) -> tuple[Compile, ...]:
    """The compiles that events tell of, in order. What JAX tells of the runtime's own ones is left out: it is there already, or a helper of a millisecond.

    Args:
        events: In the order of their start.
    """
    is_told = told(events)
    within = nested([event for event in events if isinstance(event, Staged | Started)])
    starting = [event for event in events if isinstance(event, Started)]
    waiting: dict[tuple[int, str], dict[str, Staged]] = {}
    found: list[Compile] = []
    for event in events:
        if isinstance(event, Compiled):
            found.append(from_event(event, [(one.start_ns, one.end_ns) for one in starting if one.thread == event.thread]))
        elif isinstance(event, Staged) and not event.is_own and not is_told(event):
            phases = waiting.setdefault((event.thread, event.function), {})
            if event.phase == "trace":  # what was lowered before belongs to another program
                phases.clear()
            phases[event.phase] = event
            if event.phase == "compile":
                found.append(from_stages(event, phases, within))
                phases.clear()
    return tuple(sorted(found, key=lambda one: one.start_ns))


def nested(events: Iterable[Staged | Started]) -> Mapping[int, int]:
    """How long the phases lasted that are directly within each, in nanoseconds, by its ``id``.

    An operation that runs while a function is traced is lowered and compiled within the trace, and that time is its own. So is that of JAX's start.
    """
    found: dict[int, int] = {}
    open_phases: dict[int, list[Staged | Started]] = {}
    for event in sorted(events, key=lambda one: (one.start_ns, -one.end_ns)):
        around = open_phases.setdefault(event.thread, [])
        while around and around[-1].end_ns <= event.start_ns:
            around.pop()
        if around and (isinstance(event, Started) or event.phase != "trace") and event.end_ns <= around[-1].end_ns:
            found[id(around[-1])] = found.get(id(around[-1]), 0) + event.end_ns - event.start_ns
        around.append(event)
    return found


def told(events: Sequence[Event]) -> Callable[[Staged], bool]:
    """What tells whether something that JAX tells of is a part of what the runtime tells of itself."""
    spans: dict[int, list[Interval]] = {}
    for event in events:
        if isinstance(event, Compiled | FellBack | Chained):
            spans.setdefault(event.thread, []).append((event.start_ns, event.end_ns))
    merged = {thread: union(found) for thread, found in spans.items()}

    def is_told(event: Staged) -> bool:
        found = merged.get(event.thread, [])
        at = bisect_right(found, event.start_ns, key=lambda span: span[0]) - 1
        return at >= 0 and event.start_ns < found[at][1] and event.end_ns <= found[at][1]  # what begins as that ends comes after it

    return is_told


def tracing(compiles: Iterable[Compile], thread: int, waits: Intervals) -> list[Interval]:
    """When a thread traced for compiles, or waited for others that did: their first phase; without overlaps, though a function may be traced within another.

    Args:
        compiles: Made on any thread.
        thread: The thread.
        waits: When it waited for other threads.
    """
    traced = [(one.thread == thread, (one.start_ns, one.start_ns + round(one.phases["trace"] * 1e9))) for one in compiles if "trace" in one.phases]
    mine, others = [[span for is_mine, span in traced if is_mine is wanted] for wanted in (True, False)]
    return union([*mine, *map(tuple, intersect(others, waits).tolist())])


def keeping(compiles: Iterable[Compile], thread: int, waits: Intervals) -> list[Compile]:
    """Those of some compiles that kept a thread: it made them itself, or waited for other threads while one of them did.

    Args:
        compiles: Made on any thread.
        thread: The thread.
        waits: When it waited for other threads.
    """
    seen = union(waits)

    def is_waited_for(one: Compile) -> bool:
        at = bisect_right(seen, one.start_ns, key=lambda span: span[1])
        return at < len(seen) and seen[at][0] < one.end_ns

    return [one for one in compiles if one.thread == thread or is_waited_for(one)]


def from_stages(event: Staged, phases: Mapping[str, Staged], within: Mapping[int, int]) -> Compile:
    """The compile that JAX tells of.

    Args:
        event: Its last phase.
        phases: All phases of the program by name, as far as JAX has told of them.
        within: What of each belongs to other programs; see `nested`.
    """
    own = [(name, phases[name]) for name in ("trace", "lower", "compile") if name in phases]
    took = {name: (phase.end_ns - phase.start_ns - within.get(id(phase), 0)) / 1e9 for name, phase in own}
    return Compile(
        function=event.function,
        start_ns=min(phase.start_ns for phase in phases.values()),
        end_ns=event.end_ns,
        thread=event.thread,
        seconds=sum(took.values()),
        phases=MappingProxyType(took),
        call_site=event.site,
        definition_site=event.definition_site,
        program=event.program or f"jit({event.function})",
        cache=event.cache,
        cause=event.cause or Cause(kind="unknown"),
        ops=None,
        maker="jax",
        is_eager=event.is_eager,
    )


def from_event(event: Compiled, starting: Intervals = ()) -> Compile:
    """The compile that an event tells of.

    Args:
        event: It.
        starting: When its thread waited for JAX's start, which is no part of it.
    """
    apart_ns = {"compile" if name == "cache_read" else name: length_ns(intersect([span], starting)) for name, span in phases(event)} if len(starting) else {}
    return Compile(
        function=event.function,
        start_ns=event.start_ns,
        end_ns=event.end_ns,
        thread=event.thread,
        seconds=(event.end_ns - event.start_ns - sum(apart_ns.values())) / 1e9,
        phases=MappingProxyType({name: (took_ns - apart_ns.get(name, 0)) / 1e9 for name, took_ns in event.phases.items()}),
        call_site=event.site,
        definition_site=event.definition_site,
        program=event.program,
        cache=event.cache,
        cause=event.cause,
        ops=event.ops,
    )
