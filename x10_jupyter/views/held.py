"""What the devices held: in all, and by line at the end, when there was most, and how it changed."""

from collections.abc import Sequence
from statistics import mean

from x10_jupyter.base.units import count, size
from x10_jupyter.diagnosis import words
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.memory import Amount, LineUse, Memory, busy, total_bytes
from x10_jupyter.records.process_events import Sampled
from x10_jupyter.views.markup import Markup, element, folded, section, table
from x10_jupyter.views.theme import QUIET

LINES, MOST = 8, 60
"""Rows that are shown at once, and those behind a line that opens them; the rest is counted."""

SMALL = 1 << 20
"""What never was more stands behind a line that opens it: a mebibyte fits everywhere."""

UNKNOWN = "—"

NO_LINE, REST = "no line of yours", "all other lines"


def held(capture: Capture) -> Markup:
    """The whole section; nothing if nobody looked, or nothing was there."""
    found = capture.memory
    if found is None:
        return Markup()
    if not found.samples:
        return section("Memory", element("div", found.reason))
    parts = [
        line_tables(found),
        *[element("div", line) for line in pinned(found)],
        programs(found),
        *[element("div", note, opacity=QUIET) for note in notes(found)],
    ]
    if is_small(found) and not found.reason:
        return folded(f"Memory: {summary(found)}", *parts) if total_bytes(found.peak) else Markup()
    return section("Memory", element("div", f"{summary(found)}."), *parts)


def told(capture: Capture) -> str:
    """The same in a line of text; empty if there is nothing that matters."""
    found = capture.memory
    if found is None or (is_small(found) and not found.reason):
        return ""
    if not found.samples:
        return f"not known. {found.reason}"
    grown = [line for line in found.lines if line.grown_bytes and line.grown_bytes >= SMALL]
    if not grown:
        return summary(found)
    most = max(grown, key=lambda line: line.grown_bytes or 0)
    return f"{summary(found)}, {change(most.grown_bytes)} by {count(most.now.count, most.kind)}{words.at(most.site)}"


def is_small(found: Memory) -> bool:
    """Whether there was never enough to be worth a thought."""
    return bool(found.samples) and total_bytes(found.peak) < SMALL


def summary(found: Memory) -> str:
    """How much there was: ``1.20 GiB on CPU:0 at the end, at most 1.90 GiB (seen at 14 moments); +400 MiB during the capture``."""
    grown = found.grown_bytes
    since = f"; {change(grown)} since the beginning" if grown else "; as much as at the beginning"
    seen = count(len(found.samples), "moment")
    return f"{size(total_bytes(found.last))}{on(found.last)} at the end, at most {size(total_bytes(found.peak))} (looked at {seen}){since}"


def on(sample: Sampled) -> str:
    """Which devices hold it; of several the one with most."""
    having = [device for device in sample.devices if device.array_bytes]
    if not having:
        return ""
    most = max(having, key=lambda device: device.array_bytes)
    if len(having) == 1:
        return f" on {most.name}"
    return f" on {len(having)} devices ({size(most.array_bytes)} on {most.name})"


def change(grown: int | None) -> str:
    """How much more or less there is."""
    if grown is None:
        return UNKNOWN
    return f"{'+' if grown > 0 else '−' if grown < 0 else ''}{size(abs(grown))}"


def line_tables(found: Memory) -> Markup:
    """A row for each line whose arrays took something."""
    lines = [line for line in found.lines if line.kind == "array"]
    if not lines:
        return Markup()
    shown, rest = lines[:LINES], lines[LINES:]
    made = line_table(shown)
    if not rest:
        return made
    had = sum(line.now.size_bytes for line in rest)
    more = element("div", f"and {count(len(rest) - MOST, 'other line')}", opacity=QUIET) if len(rest) > MOST else ""
    return element("div", made, folded(f"{count(len(rest), 'other line')}, {size(had)} at the end", line_table(rest[:MOST]), more))


def line_table(lines: Sequence[LineUse]) -> Markup:
    """Some of these rows."""
    rows = [[amount(line.now), amount(line.peak), change(line.grown_bytes), arrays(line), *place(line)] for line in lines]
    return table(rows, header=["at the end", "at the peak", "change", "arrays", "line", "function"], align=dict.fromkeys(range(4), "right"), wraps={4: "6em"})


def amount(one: Amount | None) -> str:
    """How much it was."""
    return UNKNOWN if one is None else size(one.size_bytes)


def arrays(line: LineUse) -> str:
    """How many there are, and were."""
    before = line.before
    return f"{line.now.count:,}" if before is None or before.count == line.now.count else f"{before.count:,} → {line.now.count:,}"


def place(line: LineUse) -> tuple[str, str]:
    """The line, and the function that it stands in."""
    if line.site is None:
        return (REST if line.is_rest else NO_LINE), ""
    return str(line.site), words.shorten(words.function_of(line.site))


def pinned(found: Memory) -> list[str]:
    """What JAX keeps alive, each a sentence."""
    return [
        f"`{words.shorten(one.argument)}` of `{words.shorten(one.function)}`{words.at(one.site)} is static, so JAX keeps "
        f"{count(one.objects, 'object')} of `{words.shorten(one.type_name)}` until `jax.clear_caches()`, whoever else lets go: "
        f"{count(one.arrays, 'array')}, {size(one.size_bytes)}."
        for one in found.pinned
        if one.size_bytes >= SMALL
    ]


def programs(found: Memory) -> Markup:
    """A row for each line that had programs compiled which are still there."""
    lines = sorted((line for line in found.lines if line.kind == "program"), key=lambda line: (line.is_rest, -line.now.size_bytes, -line.now.count))
    number = sum(line.now.count for line in lines)
    if not number:
        return Markup()
    known = found.last.program_bytes
    rows = [[arrays(line), amount(line.now) if known else UNKNOWN, *place(line)] for line in lines[:MOST]]
    size_of = size(known) if known else "how large they are the device does not tell"
    more = element("div", f"and {count(len(lines) - MOST, 'other line')}", opacity=QUIET) if len(lines) > MOST else ""
    made = table(rows, header=["programs", "size", "line", "function"], align={0: "right", 1: "right"}, wraps={2: "6em"})
    return folded(f"{count(number, 'program')}, {size_of}", made, more)


def notes(found: Memory) -> list[str]:
    """What else is known, and what is not, each a sentence."""
    seen = "Arrays are counted by the line that made them, and for as long as anything refers to them; what a program needs while it runs is not among it."
    return [*allocators(found), *busy_devices(found), *filter(None, [found.reason]), seen]


def allocators(found: Memory) -> list[str]:
    """What the allocators of devices tell, where they do."""
    told: list[str] = []
    for device in found.last.devices[:LINES]:
        if device.allocated_bytes is not None:
            limit = f" of {size(device.limit_bytes)}" if device.limit_bytes else ""
            most = f", at most {size(device.peak_bytes)} since the process began" if device.peak_bytes is not None else ""
            told.append(f"{device.name}: its allocator has given out {size(device.allocated_bytes)}{limit}{most}; what programs need while they run counts.")
    return told


def busy_devices(found: Memory) -> list[str]:
    """How busy the devices were, where that is told, and else why it is not."""
    known = busy(found.samples)
    told = [
        f"{name} was busy for {mean(percents):.0f} % of the time, by {count(len(percents), 'look')} at it; work of other processes counts."
        for name, percents in list(known.items())[:LINES]
    ]
    return told or list(filter(None, [found.untold]))
