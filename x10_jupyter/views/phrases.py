"""Facts as words, shared by all views."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from x10_jupyter.base.settings import Settings
from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.folding import side_by_side, total
from x10_jupyter.diagnosis.words import at, shorten
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.by_line import by_line
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.environment import Environment
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Read, Sized
from x10_jupyter.records.runtime_events import Cut, Failed, FellBack, Pending, Retraced
from x10_jupyter.records.site import Site
from x10_jupyter.records.size import TOLD_RECORDED

COMPILING: tuple[TimeName, ...] = ("lower", "compile", "cache_read")
"""What a reader calls compiling."""

MEANING: dict[TimeName, str] = {
    "start": "JAX choosing its platform and looking for devices, once in a kernel",
    "trace": "operations recorded, and traced by JAX",
    "lower": "from JAX's form to XLA's",
    "compile": "XLA making machine code",
    "cache_read": "compiled programs read from the persistent cache",
    "execute": "programs launched, and waited for",
    "read": "values copied to the host",
    "transfer": "data moved to devices, or between them",
    "wait": "input waited for",
    "gc": "Python's garbage collector",
    "drain": "waiting for the device at the end",
    "python": "Python outside any trace",
    "contention": "ready to run, while other threads or processes had the cores",
    "unexplained": "not explained by anything recorded",
}
"""What each name of the time stands for."""

SLOW_CALL = "150 µs and more instead of 7 (measured on a CPU)"
"""What a call of a program takes that calls Python back, and of one that does not."""

FRACTIONS = Settings().metrics_percentiles
"""X10's percentiles: those of a report that nobody asked to be another."""


OPERATIONS = 3
"""Names of operations that are told of those that one function ran."""


def compiled(capture: Capture) -> str:
    """How many programs were compiled, and how long that took."""
    if not capture.compiles:
        return "nothing compiled"
    found = sum(one.cache == "hit" for one in capture.compiles)
    made = len(capture.compiles) - found
    parts = [f"{count(made, 'program')} compiled" if made else "", f"{count(found, 'program')} read from the cache" if found else ""]
    return f"{' and '.join(part for part in parts if part)} in {duration(capture.compile_ns)}"


def stepped(capture: Capture) -> str:
    """How many steps ran, and how long they took without compiling; empty when there was none."""
    took_ns = sum(ns for name, ns in capture.step_time.items() if name not in COMPILING)
    return f"{count(capture.step_count, 'step')} in {duration(took_ns)}" if capture.step_count else ""


UNSTEPPED = "where a turn of a loop of ordinary JAX ends nobody tells: call `x10.barrier()` there, and each is a step"
"""Why a capture may have no steps, and what to do about it."""

TURNS = 3
"""So many reads at one line, or compiles of one function at one, are those of a loop: what is written out twice is rarely written thrice."""


def unstepped(capture: Capture) -> str:
    """Why there are no steps, if a loop of ordinary JAX ran; empty if none is known to have, and if there are steps."""
    if capture.step_count:
        return ""
    turns = Counter[tuple[str, Site]]()
    for event, times in capture.counted(Read):
        if event.is_jax and event.site is not None and event.thread == capture.thread:
            turns[event.how, event.site] += times
    for one in capture.compiles:
        if one.maker == "jax" and not one.is_eager and one.call_site is not None and one.thread == capture.thread:
            turns[one.function, one.call_site] += 1
    return f"none; {UNSTEPPED}" if max(turns.values(), default=0) >= TURNS else ""


def operations(group: Sequence[Compile]) -> str:
    """What JAX's own operations were that one function of the user's ran at once; empty for others, and for one operation that was compiled for one cause."""
    if not group[-1].is_eager or len({(one.function, one.cause.kind, one.cause.where) for one in group}) == 1:
        return ""
    names = Counter(one.function for one in group).most_common()
    rest = f" and {len(names) - OPERATIONS} more" if len(names) > OPERATIONS else ""
    return ", ".join(f"{shorten(name)} × {times:,}" if times > 1 else shorten(name) for name, times in names[:OPERATIONS]) + rest


def found(group: Sequence[Compile]) -> str:
    """What it took to read programs from the persistent cache; empty when XLA compiled them."""
    if group[-1].cache != "hit":
        return ""
    return f"read from the cache in {duration(sum(one.phases.get('compile', 0) for one in group) * 1e9)}"


def elsewhere(capture: Capture, group: Sequence[Compile]) -> str:
    """That some compiles were those of other threads, and if the capturing one was not seen to wait meanwhile that, too; empty if any was its own."""
    if any(one.thread == capture.thread for one in group):
        return ""
    kept = set(map(id, capture.keeping))
    several = len({one.thread for one in group}) > 1
    where = "on other threads" if several else "on another thread"
    return where if any(id(one) in kept for one in group) else f"{where}, and whether this one waited for {'them' if several else 'it'} is not known"


def shares(capture: Capture) -> list[tuple[TimeName, int]]:
    """The names that took time, in nanoseconds, longest first."""
    return sorted(((name, ns) for name, ns in capture.time.items() if ns), key=lambda pair: -pair[1])


def incomplete(capture: Capture) -> str:
    """That events are missing; empty if none are."""
    return f"recording failed with {shorten(capture.lost)}, so what happened later is missing and times are not right" if capture.lost else ""


def beside(capture: Capture) -> str:
    """That other threads had captures of their own; empty if none had."""
    if not capture.beside:
        return ""
    other = count(capture.beside, "other capture")
    were = "was" if capture.beside == 1 else "were"
    return f"{other} {were} open on other threads; what those threads did is told there, and here only while this one waited for them"


def thinned(capture: Capture) -> str:
    """What a long capture no longer holds; empty if it holds everything."""
    if capture.thinned is None:
        return ""
    gone = f"{sum(capture.thinned.counts.values()):,} events of the first {duration(capture.thinned.until_ns - capture.start_ns)} are summed up"
    late = f"; {count(capture.thinned.late, 'event')} came too late to be counted there" if capture.thinned.late else ""
    return f"{gone}: totals are exact, {len(capture.steps):,} of {count(capture.step_count, 'step')} are shown{late}"


def repeated(_fields: Sequence[Any], times: int) -> str:
    """How often something came, to be read behind it; empty for once."""
    return "" if times == 1 else f", {times:,} times"


def fold(capture: Capture, kind: type[Event], words: str, *fields: str, often: Callable[[Sequence[Any], int], str] = repeated) -> list[str]:
    """Each thing that happened with its line once, most often first, and how often it came: ``float() f32[] at cell [3] line 9, 40 times``.

    Args:
        capture: Where it happened.
        kind: What kind of event it is.
        words: What to say of one, with braces for its fields, or some of them.
        fields: Names of those.
        often: Says of its fields and a number how often it came.
    """
    counted, of_fields = Counter[str](), dict[str, tuple[Any, ...]]()
    things = Counter({key: len(places) for key, places in by_line(capture.kinds.of(kind), *fields).items()})
    for one in capture.thinned.sums if capture.thinned else ():
        if isinstance(one.event, kind):
            things[tuple([getattr(one.event, field) for field in fields]), one.event.site] += one.times
    for (values, site), times in things.items():
        line = f"{words.format(*[shorten(str(value)) for value in values])}{at(site)}"
        counted[line] += times
        of_fields[line] = values
    return [f"{line}{often(of_fields[line], times)}" for line, times in counted.most_common()]


def reads(capture: Capture) -> list[str]:
    """What was brought to the host and where, most often first; of JAX's own arrays only those that Python waited for are told, and so are those counted."""
    lines = fold(capture, Read, "{} {}", "how", "aval", "is_jax", "is_sampled", often=waited)
    return [line.replace("  at ", ", seen at ") for line in lines]


def waited(read: Sequence[Any], times: int) -> str:
    """How often something was read, to be read behind it.

    Args:
        read: How, what, whether it is JAX's, and whether the thread was only seen to stand there.
        times: The number.
    """
    if read[3]:  # one long read is seen in parts
        return ""
    return f", waited for {'once' if times == 1 else f'{times:,} times'}" if read[2] else repeated(read, times)


def fallbacks(capture: Capture) -> list[str]:
    """What ran outside any program, where and why, most often first."""
    return fold(capture, FellBack, "{} ({})", "op", "reason")


def retraced(capture: Capture) -> list[str]:
    """Functions that were traced at each call, where, and what they read that cannot be seen into, most often first."""
    return fold(capture, Retraced, "{} (reads {}, which cannot be seen into)", "op", "reads")


def called_back(capture: Capture) -> list[str]:
    """Functions whose programs call Python back, and where; each once."""
    told = [f"`{shorten(event.function)}` calls Python back by {shorten(one.op)}{at(one.site)}" for event in capture.kinds.of(Sized) for one in event.callbacks]
    return [f"{line}: each call of it leaves JAX's fast path, {SLOW_CALL}" for line in dict.fromkeys(told)]


def totals(capture: Capture) -> str:
    """Time spent tracing, compiling and executing; the last overlaps with the others, since the device works alone. Of ``jax.jit`` nobody tells what runs."""
    ran = f"executing on the device {duration(capture.device_ns)}" if capture.device_ns else "no program of lazy tensors ran"
    beside = added_up(capture)
    made = f"compiling {duration(capture.compile_ns)}{f' ({beside})' if beside else ''}"
    return f"{merged(capture)}tracing {duration(capture.trace_ns)}, {made}, {ran}{pending(capture)}"


def added_up(capture: Capture) -> str:
    """That compiles ran side by side, to a reader who adds up their rows; empty if they did not."""
    beside = side_by_side(capture.compiles)
    return f"{beside}: the rows add up to {duration(total(capture.compiles) * 1e9)}" if beside else ""


def pending(capture: Capture) -> str:
    """What was recorded and had not run at the end, with a semicolon before it; empty if nothing was."""
    left = [event for event in capture.kinds.of(Pending) if event.thread == capture.thread and event.start_ns >= capture.body_end_ns]
    if not left:
        return ""
    ops = left[-1].ops
    where = ", best at the end of the loop's body" if ops >= TOLD_RECORDED else ""
    return f"; {count(ops, 'operation')} {'waits' if ops == 1 else 'wait'} for a read or `x10.barrier()`{where}"


def merged(capture: Capture) -> str:
    """What became of plain code that ran on lazy tensors, with a comma behind it; empty for all other, and where it is no longer known."""
    ran = [cut for cut in capture.kinds.of(Cut) if cut.program is not None]
    if not capture.is_plain or capture.thinned is not None or not ran:
        return ""
    ops = sum(cut.ops for cut in ran)
    programs = len({cut.program for cut in ran})
    return f"{count(ops, 'operation')} in {count(len(ran), 'run')} of {count(programs, 'program')}, "


def failures(capture: Capture) -> list[str]:
    """Programs that could not be compiled or run, where and why, most often first."""
    return fold(capture, Failed, "{} could not {} ({})", "program", "phase", "message")


def percent(fraction: float) -> str:
    """A fraction as a title: ``95 %``."""
    return f"{fraction * 100:.4g} %"


NO_DEVICE = "no device of JAX's in use"
"""What is said where JAX had not looked for devices."""


def environment(capture: Capture) -> str:
    """What it ran on, in a line; how lazy tensors were recorded only where a program of them ran."""
    ran = capture.environment
    devices = f"{ran.device_count} × {ran.device_kind}" if ran.device_count > 1 else ran.device_kind
    how = recording(ran) if capture.device_ns else ""
    return f"{devices or NO_DEVICE} with {count(ran.cpu_count, 'core')}, jax {ran.jax}, Python {ran.python}{how and f', lazy tensors {how}'}"


def recording(ran: Environment) -> str:
    """How the runtime recorded operations; empty if it is not known."""
    return {True: "recorded by compiled code", False: "recorded in Python", None: ""}[ran.compiled_recording]
