"""Facts as words, shared by all views."""

from collections import Counter
from collections.abc import Iterable, Sequence

from x10_jupyter.base.units import count, duration, share
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.site import Site

COMPILING: tuple[TimeName, ...] = ("lower", "compile", "cache_read")
"""What a reader calls compiling."""

DOING: dict[TimeName, str] = {
    "trace": "tracing",
    "execute": "executing",
    "read": "reading values",
    "transfer": "moving data",
    "wait": "waiting for input",
    "gc": "garbage collection",
    "drain": "waiting for the device at the end",
    "python": "Python outside any trace",
    "unexplained": "not explained by anything recorded",
}

LONGEST = 60
"""Characters of a value that a view shows; a shape is shorter, a pytree may have no end."""


def headline(capture: Capture) -> str:
    """The answer in one sentence: what was compiled, how many steps ran, what took longest, and the last recompile."""
    parts = [compiled(capture), stepped(capture)]
    sentence = f"{', '.join(part for part in parts if part)}: {longest(capture)}"
    again = [one for one in capture.compiles if one.cause.kind != "first"]
    if again:
        sentence += f"; last recompile: {cause_at(again[-1])}"
    if capture.error:
        sentence = f"Stopped by {shorten(capture.error, 120).rstrip('.')}. {sentence}"
    return f"{shorten(capture.name)}: {sentence}" if capture.name else sentence


def compiled(capture: Capture) -> str:
    """How many programs were compiled, and how long that took."""
    if not capture.compiles:
        return "Nothing compiled"
    found = sum(one.cache == "hit" for one in capture.compiles)
    made = len(capture.compiles) - found
    parts = [f"{count(made, 'program')} compiled" if made else "", f"{count(found, 'program')} read from the cache" if found else ""]
    return f"{' and '.join(part for part in parts if part)} in {duration(capture.compile_ns)}"


def stepped(capture: Capture) -> str:
    """How many steps ran, and how long they took without compiling; empty when there was none."""
    took_ns = sum(step.wall_ns - sum(step.parts[name] for name in COMPILING) for step in capture.steps)
    return f"{count(len(capture.steps), 'step')} in {duration(took_ns)}" if capture.steps else ""


def longest(capture: Capture) -> str:
    """The largest share of the time."""
    compile_ns = sum(capture.time[name] for name in COMPILING)
    most_ns, what = max((compile_ns, "compiling"), *((capture.time[name], doing) for name, doing in DOING.items()))
    return f"{share(most_ns / max(capture.wall_ns, 1))} of {duration(capture.wall_ns)} was {what}"


def cause(why: Cause) -> str:
    """What changed, from what to what: ```x` shape f32[32,64] → f32[17,64]``."""
    where = "" if why.where == str(why.site) else shorten(why.where)
    if where and len(where.split()) == 1:
        where = f"`{where}`"
    kind = "first time" if why.kind == "first" else why.kind.replace("_", " ")
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


def fold(phrases: Iterable[tuple[str, Site | None]]) -> list[str]:
    """Each phrase with its line once, most often first, and how often it came: ``float() f32[] at cell [3] line 9, 40 times``."""
    counted = Counter(f"{phrase}{at(site)}" for phrase, site in phrases)
    return [line if times == 1 else f"{line}, {times:,} times" for line, times in counted.most_common()]


def reads(capture: Capture) -> list[str]:
    """What was brought to the host and where, most often first."""
    return fold((f"{read.how} {read.aval}", read.site) for read in capture.reads)


def fallbacks(capture: Capture) -> list[str]:
    """What ran outside any program, where and why, most often first."""
    return fold((f"{one.op} ({shorten(one.reason)})", one.site) for one in capture.fallbacks)


def retraced(capture: Capture) -> list[str]:
    """Functions that were traced at each call, where, and what they read that cannot be seen into, most often first."""
    return fold((f"{one.op} (reads {shorten(one.reads)}, which cannot be seen into)", one.site) for one in capture.retraced)


def totals(capture: Capture) -> str:
    """Time spent tracing, compiling and executing; the last overlaps with the others, since the device works alone."""
    parts = ("tracing", capture.trace_ns), ("compiling", capture.compile_ns), ("executing on the device", capture.device_ns)
    return ", ".join(f"{name} {duration(ns)}" for name, ns in parts)


def steps(capture: Capture) -> str:
    """How long the middle and the longest step took."""
    ordered = sorted(capture.steps, key=lambda step: step.wall_ns)
    if not ordered:
        return ""
    slowest = ordered[-1]
    index = slowest.index - capture.steps[0].index + 1
    return f"median {duration(ordered[len(ordered) // 2].wall_ns)}, longest {duration(slowest.wall_ns)} (number {index:,})"


def environment(capture: Capture) -> str:
    """What it ran on, in a line."""
    ran = capture.environment
    devices = f"{ran.device_count} × {ran.device_kind}" if ran.device_count > 1 else ran.device_kind
    return f"{devices} with {count(ran.cpu_count, 'core')}, jax {ran.jax}, Python {ran.python}"
