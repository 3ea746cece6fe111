"""The answer in one sentence: where most of the time went, and the largest cause that is known.

One threshold decides: a cause is worth the first line from a tenth of the wall time on. To be rid of less makes a cell at most a ninth faster, which two runs
of the same cell on a shared machine may differ by. So there is nothing to fix when the model ran for nine tenths and more.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from x10_jupyter.base.units import duration, share
from x10_jupyter.records.accounting import TIME_NAMES, TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.events import FellBack, Read, Transferred
from x10_jupyter.views import phrases

WORTH = 0.1
"""See above."""

LONGEST = 160
"""Characters of the sentence; what does not fit is left out, the least telling first."""

Part = Literal["compile", "model", "trace", "read", "transfer", "wait", "gc", "python", "unexplained"]

PARTS: Mapping[Part, tuple[TimeName, ...]] = {
    "compile": phrases.COMPILING,
    "model": ("execute", "drain"),
    **{name: (name,) for name in ("trace", "read", "transfer", "wait", "gc", "python", "unexplained")},
}
"""What a reader takes together."""

PART_OF: Mapping[TimeName, Part] = {name: part for part, names in PARTS.items() for name in names}
"""The part that each name belongs to."""

DOING: Mapping[Part, str] = {
    "compile": "compiling",
    "model": "the model running",
    "trace": "tracing",
    "read": "reading values",
    "transfer": "moving data",
    "wait": "waiting for input",
    "gc": "garbage collection",
    "python": "Python outside any trace",
    "unexplained": "not explained by anything recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Something that can be told apart, and what it took."""

    ns: int
    part: Part
    """What of the time it took."""
    what: str
    """What it was, to be read after ``of it``."""


def answer(capture: Capture) -> str:
    """The first line as text: the gist, and what ran as far as there is room for it."""
    told = gist(capture)
    longer = [f"{told}; {more}" for more in (ran(capture), phrases.stepped(capture)) if more]
    return next((line for line in longer if len(line) <= LONGEST), phrases.shorten(told, LONGEST))


def ran(capture: Capture) -> str:
    """How much was compiled, and how many steps ran."""
    return ", ".join(part for part in (phrases.compiled(capture), phrases.stepped(capture)) if part)


def gist(capture: Capture) -> str:
    """What matters most: that the capture failed, and where most of the time went and why."""
    start = f"{phrases.shorten(capture.name)}: " if capture.name else ""
    stopped = f"Stopped by {phrases.shorten(capture.error, 60).rstrip('.')}. " if capture.error else ""
    return f"{start}{stopped}{where(capture)}"


def where(capture: Capture) -> str:
    """Where most of the time went and why, as far as it is known."""
    if not capture.wall_ns:
        return "No time passed"
    spent = parts(capture)
    # The device may work while Python goes on; then it is not waited for, but still what takes the time.
    spent_by_model = max(spent["model"], capture.device_ns)
    cost = max(costs(capture, spent["compile"]), key=lambda one: one.ns, default=None)
    is_worth = cost is not None and cost.ns >= WORTH * capture.wall_ns
    if spent_by_model >= (1 - WORTH) * capture.wall_ns and not is_worth:
        return f"Nothing to fix: {of(spent_by_model, capture)} was the model running"
    most = max(PARTS, key=lambda part: spent[part])
    told = f"{of(spent[most], capture)} was {DOING[most]}"
    if cost is None or not is_worth:
        return f"{told}{unknown(most, capture)}"
    took = f"{duration(cost.ns)} ({share(cost.ns / capture.wall_ns)})"
    return f"{told}, {took} of it {cost.what}" if cost.part == most else f"{told}; largest known cause: {took} {DOING[cost.part]} {cost.what}"


def parts(capture: Capture) -> dict[Part, int]:
    """What a reader takes together, in nanoseconds; tracing for a compile is a part of it."""
    spent: dict[Part, int] = {part: sum(capture.time[name] for name in names) for part, names in PARTS.items()}
    to_compile = capture.trace_to_compile_ns
    return {**spent, "compile": spent["compile"] + to_compile, "trace": spent["trace"] - to_compile}


def of(ns: int, capture: Capture) -> str:
    """A part of the wall time: ``51 % of 339 ms``."""
    return f"{share(ns / capture.wall_ns)} of {duration(capture.wall_ns)}"


def unknown(most: Part, capture: Capture) -> str:
    """What can be said of the largest part when no cause is large enough."""
    if most == "compile" and all(one.cause.kind == "first" for one in capture.compiles):
        return ", all of it for the first time"
    if most in ("model", "unexplained"):
        return ""  # what it was says all there is
    return ", and no cause is known that took a tenth of the time"


def costs(capture: Capture, compiling_ns: int) -> list[Cost]:
    """What is known to have cost time, and could be changed.

    Args:
        capture: Its.
        compiling_ns: How long its thread compiled. Other threads may do so, too; more than that it can't have cost this one.
    """
    found = [
        Cost(ns=min(round(sum(one.seconds for one in group) * 1e9), compiling_ns), part="compile", what=compiled_why(group[-1]))
        for group in phrases.fold_compiles(capture)
        if group[-1].cause.kind != "first"
    ]
    found += by_line(capture, Read, ("read",))
    found += by_line(capture, Transferred, ("transfer",))
    found += by_line(capture, FellBack, ("execute", "compile"))
    return found


def compiled_why(one: Compile) -> str:
    """Why something was compiled that was not the first of its kind; or that it is not known, as of what JAX compiles for others."""
    if one.is_recompile:
        return f"again: {phrases.cause_at(one)}"
    return f"by JAX for `{phrases.shorten(one.function)}`{phrases.at(phrases.line_of(one))}, which does not tell why"


def by_line(capture: Capture, kind: type[Read] | type[Transferred] | type[FellBack], names: tuple[TimeName, ...]) -> list[Cost]:
    """What events of one kind took on the capturing thread, a cost for each line and each thing done there; none if together they are not worth it.

    Args:
        capture: They are its.
        kind: The kind.
        names: What of the time while they lasted is theirs; those of different parts are different costs.
    """
    if sum(capture.time[name] for name in names) < WORTH * capture.wall_ns:
        return []
    mine = [event for event in capture.kinds.of(kind) if event.thread == capture.thread]
    columns = [TIME_NAMES.index(name) for name in names]
    table = capture.timeline.table([event.start_ns for event in mine], [event.end_ns for event in mine], TIME_NAMES)
    rows: dict[tuple[int, str], list[int]] = {}  # a loop reads at the same line again and again
    for place, event in enumerate(mine):
        rows.setdefault((id(event.site), how(event)), []).append(place)
    found = defaultdict[str, Counter[TimeName]](Counter)
    for places in rows.values():
        took: list[int] = table[places][:, columns].sum(axis=0).tolist()
        found[described(mine[places[0]])].update(dict(zip(names, took, strict=True)))
    for one in capture.thinned.sums if capture.thinned else ():
        if isinstance(one.event, kind) and one.event.thread == capture.thread:
            found[described(one.event)].update({name: one.time[name] for name in names})
    return [Cost(ns=ns, part=PART_OF[name], what=what) for what, spent in found.items() for name, ns in spent.items()]


def how(event: Read | Transferred | FellBack) -> str:
    """What an event was, apart from its line."""
    return event.how if isinstance(event, Read) else event.direction if isinstance(event, Transferred) else event.op


def described(event: Read | Transferred | FellBack) -> str:
    """What an event was, and where."""
    place = phrases.at(event.site)
    match event:
        case FellBack():
            return f"`{phrases.shorten(event.op)}` on its own{place}, since {phrases.shorten(event.reason)}"
        case Read():
            return f"by {phrases.shorten(event.how)}{place}"
        case Transferred():
            return f"{event.direction.replace('_', ' ')}{place}"
