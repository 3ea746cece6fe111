"""The first line: the largest finding, and the next one if it is worth as much; where there is none, where most of the time went."""

from collections.abc import Mapping
from typing import Literal

from x10_jupyter.base.units import duration, share
from x10_jupyter.diagnosis import words
from x10_jupyter.diagnosis.claim import LEAST, LEAST_NS
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.verdict import WORTH
from x10_jupyter.records.accounting import TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.views import phrases

LONGEST = 160
"""Characters of the sentence; what does not fit is left out, the least telling first."""

Part = Literal["start", "compile", "model", "trace", "read", "transfer", "wait", "gc", "python", "contention", "unexplained"]

PARTS: Mapping[Part, tuple[TimeName, ...]] = {
    "compile": phrases.COMPILING,
    "model": ("execute", "drain"),
    **{name: (name,) for name in ("start", "trace", "read", "transfer", "wait", "gc", "python", "contention", "unexplained")},
}
"""What a reader takes together."""

DOING: Mapping[Part, str] = {
    "start": "JAX starting its platform, once in a kernel",
    "compile": "compiling",
    "model": "the model running",
    "trace": "tracing",
    "read": "reading values",
    "transfer": "moving data",
    "wait": "waiting for input",
    "gc": "garbage collection",
    "python": "Python outside any trace",
    "contention": "waiting for a core that others had",
    "unexplained": "not explained by anything recorded",
}


def answer(capture: Capture) -> str:
    """The first line as text: the gist, and what ran as far as there is room for it."""
    told = gist(capture)
    longer = [f"{told}; {more}" for more in (ran(capture), phrases.stepped(capture)) if more]
    return next((line for line in longer if len(line) <= LONGEST), words.shorten(told, LONGEST))


def ran(capture: Capture) -> str:
    """How much was compiled, and how many steps ran."""
    return ", ".join(part for part in (phrases.compiled(capture), phrases.stepped(capture)) if part)


def gist(capture: Capture) -> str:
    """What matters most: that the capture failed, and where most of the time went and why."""
    start = f"{words.shorten(capture.name)}: " if capture.name else ""
    stopped = f"Stopped by {words.shorten(capture.error, 60).rstrip('.')}. " if capture.error else ""
    return f"{start}{stopped}{where(capture)}"


def where(capture: Capture) -> str:
    """What took most of the time for nothing, as far as that is known; or else what it went into."""
    if not capture.wall_ns:
        return "No time passed"
    told = [one for one in findings(capture) if one.size_bytes is None]
    grown = next((f"; {one.title}" for one in findings(capture) if one.size_bytes is not None), "")
    if not told:
        spent = parts(capture)
        most = max(PARTS, key=lambda part: spent[part])
        none = "" if most == "model" or grown else no_fault(capture)  # the model says all there is
        return f"{of(spent[most] / capture.wall_ns, capture)} was {DOING[most]}{none}{grown}"
    start = "Nothing to fix: " if told[0].kind == "healthy" and not grown and not capture.error else ""
    more = [f"; {share(one.share)} {one.title}" for one in told[1:2] if one.share >= WORTH]
    return f"{start}{of(told[0].share, capture)} was {told[0].title}{grown or ''.join(more)}"


def no_fault(capture: Capture) -> str:
    """That no fault is known, and how large one would have to be; nothing of a cell in which none could be as large."""
    if capture.wall_ns < LEAST_NS:
        return ""
    least = f"{share(LEAST)} of it" if LEAST * capture.wall_ns >= LEAST_NS else duration(LEAST_NS)
    return f", and no fault is known that took {least} or more"


def parts(capture: Capture) -> dict[Part, int]:
    """What a reader takes together, in nanoseconds; tracing for a compile is a part of it."""
    spent: dict[Part, int] = {part: sum(capture.time[name] for name in names) for part, names in PARTS.items()}
    to_compile = capture.trace_to_compile_ns
    return {**spent, "compile": spent["compile"] + to_compile, "trace": spent["trace"] - to_compile}


def of(part: float, capture: Capture) -> str:
    """A part of the wall time: ``51 % of 339 ms``."""
    return f"{share(part)} of {duration(capture.wall_ns)}"
