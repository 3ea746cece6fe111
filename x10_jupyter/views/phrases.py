"""Facts as words, shared by all views."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from x10_jupyter.base.settings import Settings
from x10_jupyter.base.units import count, duration
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.events import Event, Failed, FellBack, Read, Retraced
from x10_jupyter.records.site import Site

COMPILING: tuple[TimeName, ...] = ("lower", "compile", "cache_read")
"""What a reader calls compiling."""

MEANING: dict[TimeName, str] = {
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
    "unexplained": "not explained by anything recorded",
}
"""What each name of the time stands for."""

FRACTIONS = Settings().metrics_percentiles
"""X10's percentiles: those of a report that nobody asked to be another."""

KINDS = {"first": "first time", "unknown": "why is not known"}
"""Kinds of causes that are no change of anything."""

LONGEST = 60
"""Characters of a value that a view shows; a shape is shorter, a pytree may have no end."""


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


def cause(why: Cause) -> str:
    """What changed, from what to what: ```x` shape f32[32,64] → f32[17,64]``."""
    where = "" if why.where == str(why.site) else shorten(why.where)
    if where and len(where.split()) == 1:
        where = f"`{where}`"
    kind = KINDS.get(why.kind, why.kind.replace("_", " "))
    change = " ".join(part for part in (shorten(why.old), "→", shorten(why.new)) if part) if why.old or why.new else ""
    return " ".join(part for part in (where, kind, change) if part)


def cause_at(one: Compile) -> str:
    """What changed and on which line; the line only once, if what changed is told by it."""
    site = line_of(one)
    told = cause(one.cause)
    return told if str(site) in told else told + at(site)


def found(group: Sequence[Compile]) -> str:
    """What it took to read programs from the persistent cache; empty when XLA compiled them."""
    if group[-1].cache != "hit":
        return ""
    return f"read from the cache in {duration(sum(one.phases.get('compile', 0) for one in group) * 1e9)}"


def line_of(one: Compile) -> Site | None:
    """The line at which a program ceased to be a known one, or else the one that asked for it."""
    return one.cause.site or one.call_site


def at(site: Site | None) -> str:
    """Where it happened, with a blank before it; empty when that could not be told."""
    return f" at {site}" if site else ""


def shorten(text: str, longest: int = LONGEST) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def shares(capture: Capture) -> list[tuple[TimeName, int]]:
    """The names that took time, in nanoseconds, longest first."""
    return sorted(((name, ns) for name, ns in capture.time.items() if ns), key=lambda pair: -pair[1])


def same_cause(one: Compile) -> tuple[object, ...]:
    """Equal for compiles that had the same kind of cause at the same place."""
    why = one.cause
    return (one.function, why.kind, why.where, line_of(one), one.cache == "hit")


def fold_compiles(capture: Capture) -> list[list[Compile]]:
    """Compiles with those together that had the same kind of cause at the same place, apart from those of the persistent cache; the costliest first."""
    folded: dict[tuple[object, ...], list[Compile]] = {}
    for one in capture.compiles:
        folded.setdefault(same_cause(one), []).append(one)
    return sorted(folded.values(), key=lambda group: -sum(one.seconds for one in group))


def thinned(capture: Capture) -> str:
    """What a long capture no longer holds; empty if it holds everything."""
    if capture.thinned is None:
        return ""
    gone = f"{sum(capture.thinned.counts.values()):,} events of the first {duration(capture.thinned.until_ns - capture.start_ns)} are summed up"
    late = f"; {count(capture.thinned.late, 'event')} came too late to be counted there" if capture.thinned.late else ""
    return f"{gone}: totals are exact, {len(capture.steps):,} of {count(capture.step_count, 'step')} are shown{late}"


def fold(capture: Capture, kind: type[Event], words: str, *fields: str) -> list[str]:
    """Each thing that happened with its line once, most often first, and how often it came: ``float() f32[] at cell [3] line 9, 40 times``.

    Args:
        capture: Where it happened.
        kind: What kind of event it is.
        words: What to say of one, with braces for its fields.
        fields: Names of those.
    """
    counted = Counter[str]()
    # By the fields first, since a loop does the same at the same line a hundred thousand times.
    values_of = attrgetter(*fields, "site")
    things = Counter(map(values_of, capture.kinds.of(kind)))
    for one in capture.thinned.sums if capture.thinned else ():
        if isinstance(one.event, kind):
            things[values_of(one.event)] += one.times
    for (*values, site), times in things.items():
        counted[f"{words.format(*map(shorten, values))}{at(site)}"] += times
    return [line if times == 1 else f"{line}, {times:,} times" for line, times in counted.most_common()]


def reads(capture: Capture) -> list[str]:
    """What was brought to the host and where, most often first."""
    return fold(capture, Read, "{} {}", "how", "aval")


def fallbacks(capture: Capture) -> list[str]:
    """What ran outside any program, where and why, most often first."""
    return fold(capture, FellBack, "{} ({})", "op", "reason")


def retraced(capture: Capture) -> list[str]:
    """Functions that were traced at each call, where, and what they read that cannot be seen into, most often first."""
    return fold(capture, Retraced, "{} (reads {}, which cannot be seen into)", "op", "reads")


def totals(capture: Capture) -> str:
    """Time spent tracing, compiling and executing; the last overlaps with the others, since the device works alone. Of ``jax.jit`` nobody tells what runs."""
    ran = f"executing on the device {duration(capture.device_ns)}" if capture.device_ns else "no program of lazy tensors ran"
    return f"tracing {duration(capture.trace_ns)}, compiling {duration(capture.compile_ns)}, {ran}"


def failures(capture: Capture) -> list[str]:
    """Programs that could not be compiled or run, where and why, most often first."""
    return fold(capture, Failed, "{} could not {} ({})", "program", "phase", "message")


def percent(fraction: float) -> str:
    """A fraction as a title: ``95 %``."""
    return f"{fraction * 100:.4g} %"


def environment(capture: Capture) -> str:
    """What it ran on, in a line."""
    ran = capture.environment
    devices = f"{ran.device_count} × {ran.device_kind}" if ran.device_count > 1 else ran.device_kind
    return f"{devices} with {count(ran.cpu_count, 'core')}, jax {ran.jax}, Python {ran.python}"
