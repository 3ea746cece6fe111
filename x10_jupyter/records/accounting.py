"""Where the time of one thread went, by name, so that it sums to the wall time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeVar, get_args

import numpy as np

from x10_jupyter.records.kinds import Kinds, columns
from x10_jupyter.records.process_events import Collected, Read, Staged, Started, Throttled, Waited
from x10_jupyter.records.runtime_events import Chained, Compiled, Cut, Executed, FellBack, Rejoined, Traced, Transferred
from x10_jupyter.records.sweep import Interval, Layer, Nanoseconds, Timeline, clip, intersect, length_ns, sweep

TimeName = Literal[
    "start", "trace", "lower", "compile", "cache_read", "execute", "read", "transfer", "wait", "gc", "drain", "python", "contention", "unexplained",
]  # fmt: skip
TIME_NAMES: tuple[TimeName, ...] = get_args(TimeName)
"""Every name that a nanosecond can have, in the order of a program's life."""

REST: TimeName = "python"
"""What no event covers is the user's Python, until its CPU time says otherwise."""


def timeline(events: Kinds, *, thread: int, start_ns: int, body_end_ns: int, end_ns: int) -> Timeline:
    """Give every nanosecond of a window one name.

    Where events nest, the higher wins: collecting garbage over the start of JAX over compiling over executing over reading over transferring over tracing
    over Python.
    A thread executes while it launches a program, and while a read keeps it waiting for one that is running; of ordinary JAX only the waits are known. So it
    compiles, too, while it waits for other threads and one of them does.

    Args:
        events: Those of other threads count only for when the device was busy, and for what they compiled while this one waited.
        thread: The thread that captures.
        start_ns: When the window began.
        body_end_ns: When the captured code ended.
        end_ns: When the last launched program had ended, too.
    """
    mine, others = events.on(thread), events.beside(thread)
    running = events.spans(Executed)
    launches = columns(mine.of(Executed), "start_ns", "launched_ns")
    reads = mine.spans(Read)
    layers: list[Layer] = [
        ("drain", [(body_end_ns, end_ns)]),
        ("gc", mine.spans(Collected)),
        ("start", mine.spans(Started)),
        *phased(mine),
        ("execute", np.concatenate([launches, intersect(reads, running), waits(mine)])),
        ("read", reads),
        ("transfer", mine.spans(Transferred)),
        # Below reads and transfers, so that a fallback counts as execution only while it does neither.
        ("execute", mine.spans(FellBack, Chained)),
        # Above traces, which last from operation to operation, whatever is done between; below all else that this thread tells of.
        *[(name, intersect(spans, mine.spans(Waited))) for name, spans in phased(others)],
        ("trace", mine.spans(Traced, Cut, Rejoined)),
    ]
    return sweep(start_ns, end_ns, layers, rest=REST)


def phased(events: Kinds) -> list[Layer]:
    """When programs were made, a layer for each phase."""
    return [
        *compiling(events.of(Compiled)),
        ("compile", [span for event in (*events.of(FellBack), *events.of(Chained)) for span in event.compiling]),
        # Below what the runtime tells of its own compiles, since JAX tells of them, too.
        *staging(events.of(Staged)),
    ]


def compiling(events: Iterable[Compiled]) -> list[Layer]:
    """One layer for each phase of compiling; phases follow each other, so their order does not matter."""
    found = defaultdict[TimeName, list[Interval]](list)
    for event in events:
        for name, interval in phases(event):
            found[name].append(interval)
    return list(found.items())


def phases(event: Compiled) -> Iterator[tuple[TimeName, Interval]]:
    """When each phase of a compile took place: one after the other, and what is left over belongs to the last."""
    at = event.start_ns
    last: TimeName = "cache_read" if event.cache == "hit" else "compile"
    for name in ("trace", "lower"):
        took_ns = event.phases.get(name, 0)
        yield name, (at, min(at + took_ns, event.end_ns))
        at += took_ns
    yield last, (at, event.end_ns)


def staging(events: Iterable[Staged]) -> list[Layer]:
    """A layer for each phase that JAX tells of; a program that is compiled while another is traced is compiled, not traced."""
    found: dict[TimeName, list[Interval]] = {"compile": [], "cache_read": [], "lower": [], "trace": []}
    for event in events:
        found["cache_read" if event.phase == "compile" and event.cache == "hit" else event.phase].append((event.start_ns, event.end_ns))
    return list(found.items())


def making(events: Kinds) -> list[Interval]:
    """When programs were made that somebody asked for: the runtime's, and those that JAX tells of without their trace."""
    told = [event for event in events.of(Staged) if event.phase != "trace" and not event.is_own]
    return [(event.start_ns, event.end_ns) for event in (*events.of(Compiled), *told)]


def making_ns(events: Kinds, start_ns: int, end_ns: int) -> int:
    """For how long of a window that was; the start of JAX is no part of it.

    Args:
        events: They.
        start_ns: Where the window begins.
        end_ns: Where it ends.
    """
    made = clip(making(events), start_ns, end_ns)
    return length_ns(made) - length_ns(intersect(made, events.spans(Started)))


def waits(events: Kinds) -> Nanoseconds:
    """When threads waited for what ordinary JAX ran, so that something was running that nobody tells of: for an array until the device had it, or to launch."""
    told = [event for event in events.of(Read) if event.is_jax and event.ready_ns is not None]
    reads = np.array([(event.start_ns, event.ready_ns) for event in told], np.int64).reshape(-1, 2)
    return np.concatenate([reads, events.spans(Throttled)])


def device(events: Kinds) -> Nanoseconds:
    """When a program was executing, as far as it is known."""
    return np.concatenate([events.spans(Executed, Chained), waits(events)])


Measured = Compiled | Staged | Started | Collected | Read
"""Events that tell how long their thread was ready to run and others had the cores; all but reads tell of the CPU time they took, too."""

TellsCpu = Compiled | Staged | Started | Collected

MEASURED: tuple[type[Measured], ...] = (Compiled, Staged, Started, Collected, Read)
TELL_CPU: tuple[type[TellsCpu], ...] = (Compiled, Staged, Started, Collected)

USING: tuple[TimeName, ...] = ("trace", "execute", "read", "transfer")
"""What a thread needs a core for, beside what such events tell of; it waits for one there, too."""


def busy_ns(events: Kinds, *, thread: int, start_ns: int) -> int:
    """CPU time that a thread is known to have used for what events tell of, so that it did not use it for anything else.

    Args:
        events: They. What is a part of another counts with that.
        thread: It.
        start_ns: When the window began; what had begun before is left out, since nobody knows how much of it lies in the window.
    """
    return sum(event.cpu_ns for event in outermost(events, TELL_CPU, thread=thread, start_ns=start_ns))


def queued_ns(events: Kinds, *, thread: int, start_ns: int) -> int:
    """Time in which a thread is known to have waited for a core within what events tell of; as `busy_ns`."""
    return sum(event.queued_ns for event in outermost(events, MEASURED, thread=thread, start_ns=start_ns))


def unmeasured_ns(events: Kinds, found: Timeline, *, thread: int, start_ns: int) -> int:
    """Time in which a thread did what it needs a core for, and no event tells how long it waited for one.

    Args:
        events: What happened.
        found: What the thread did when.
        thread: It.
        start_ns: When the window began.
    """
    measured = [(event.start_ns, event.end_ns) for event in outermost(events, MEASURED, thread=thread, start_ns=start_ns) if told_queue(event)]
    using = found.pieces(USING)
    resting = [*measured, *[(event.start_ns, event.end_ns) for event in events.on(thread).of(Waited)]]
    return length_ns(using) - length_ns(intersect(using, resting))


def told_queue(event: Measured) -> bool:
    """Whether an event tells how long its thread waited for a core; of reads only those of ordinary JAX do that were seen from within."""
    return not isinstance(event, Read) or (event.is_jax and not event.is_sampled)


M = TypeVar("M", bound=Measured)


def outermost(events: Kinds, kinds: Sequence[type[M]], *, thread: int, start_ns: int) -> list[M]:
    """Events of a thread of some kinds that are no part of another of them.

    Args:
        events: Among these.
        kinds: The kinds.
        thread: The thread.
        start_ns: When the earliest of them may begin.
    """
    measured: list[M] = [event for kind in kinds for event in events.of(kind)]
    found: list[M] = []
    until_ns = start_ns
    for event in sorted(measured, key=lambda event: (event.start_ns, -event.end_ns)):
        if event.thread == thread and event.start_ns >= until_ns:
            found.append(event)
            until_ns = event.end_ns
    return found


def with_unexplained(time: dict[TimeName, int], *, cpu_ns: int, queued_ns: int = 0, unmeasured_ns: int = 0) -> dict[TimeName, int]:
    """Call only that much of the remainder Python as the thread can have run, and contention as it can have waited for a core; the rest nothing explains.

    Args:
        time: Nanoseconds by name.
        cpu_ns: CPU time of the thread in the window, as far as it is not known to belong to something else.
        queued_ns: Time in which it waited for a core, as far as that is not known to belong to something else. A part of it belongs to what it needed a core
            for elsewhere: as large a part as that took time beside Python.
        unmeasured_ns: How long that was.
    """
    python_ns = min(time["python"], max(cpu_ns, 0))
    left_ns = time["python"] - python_ns
    mine_ns = max(queued_ns, 0) * python_ns // max(python_ns + unmeasured_ns, 1)
    contention_ns = min(left_ns, mine_ns)
    return {
        **time,
        "python": python_ns,
        "contention": time["contention"] + contention_ns,
        "unexplained": time["unexplained"] + left_ns - contention_ns,
    }
