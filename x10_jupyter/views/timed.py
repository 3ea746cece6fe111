"""What operations of programs took, by line, by name scope and one by one, where a profiler was asked for."""

from collections.abc import Iterable, Mapping

from x10_jupyter.base.units import count, duration, share
from x10_jupyter.diagnosis import words
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.operation import Operation
from x10_jupyter.records.process_events import Profiled
from x10_jupyter.records.profile import Part, by, by_line, by_scope, slowdown
from x10_jupyter.records.site import Site
from x10_jupyter.views.markup import Markup, element, folded, join, section, table
from x10_jupyter.views.theme import COLOURS, QUIET

LINES, MOST = 8, 60
"""Rows that are shown at once, and those behind a line that opens them; the rest is counted."""

BAR = 90
"""Pixels of the longest bar."""

NO_LINE = "no line of yours"
"""Where XLA made something by itself, or the program was gone before it could be looked at."""


def timed(capture: Capture) -> Markup:
    """The whole section; nothing if no profiler was asked for."""
    windows = capture.kinds.of(Profiled)
    if not windows:
        return Markup()
    found = capture.operations
    total_ns = sum(one.own_ns for one in found)
    if not total_ns:
        return section("Operations", element("div", "The profiler recorded no operation. ", *notes(capture)))
    lines = by_line(found)
    scopes = by_scope(found)
    shown = [
        element("div", *[f"{note} " for note in (worked(windows, total_ns), *notes(capture))], opacity=QUIET),
        line_table(dict(list(lines.items())[:LINES]), total_ns),
        rest(lines, total_ns),
        scope_table(scopes, total_ns) if any(scope or is_backward for scope, is_backward in scopes) else "",
        operation_table(found, total_ns),
    ]
    return section("Operations", *shown)


def told(capture: Capture) -> str:
    """The same in a line of text; empty if no profiler was asked for."""
    if not capture.kinds.of(Profiled):
        return ""
    found = capture.operations
    total_ns = sum(one.own_ns for one in found)
    if not total_ns:
        return " ".join(["none was recorded.", *missing(capture)])
    kinds = by(found, lambda one: (name(one), one.site)).items()
    first = [f"{share(part.own_ns / total_ns)} {words.shorten(op, 30)}{words.at(site)}" for (op, site), part in list(kinds)[:3]]
    part = ", not all of it profiled" if missing(capture) else ""
    return f"{duration(total_ns)} of device time{part}: {' · '.join(first)}"


def worked(windows: Iterable[Profiled], total_ns: int) -> str:
    """How long the devices worked of what was profiled."""
    profiled_ns = sum(window.end_ns - window.start_ns for window in windows)
    return f"Devices worked for {duration(total_ns)} of the {duration(profiled_ns)} that were profiled."


def missing(capture: Capture) -> list[str]:
    """Why not all of the capture was profiled, each a sentence; empty if all of it was."""
    return list(dict.fromkeys(window.reason for window in capture.kinds.of(Profiled) if window.reason))


def notes(capture: Capture) -> list[str]:
    """What is missing, and what profiling has cost, each a sentence."""
    windows = capture.kinds.of(Profiled)
    if not any(window.records for window in windows):
        return missing(capture)
    slower = slowdown(windows, capture.steps)
    if slower is None:
        cost = "How much it slowed the cell is not known, since too few steps ran without the profiler to compare with."
    else:
        cost = f"A step took {slower.factor:.2f} × as long while it ran ({duration(slower.inside_ns)} instead of {duration(slower.outside_ns)})."
    reading_ns = sum(window.reading_ns for window in windows)
    return [*missing(capture), cost, f"Reading what it recorded took {duration(reading_ns)}; that is not a part of the times here."]


def name(one: Operation) -> str:
    """What an operation is called: JAX's name, or XLA's where it has none."""
    return one.op or one.opcode or one.instruction


def bar(ns: int, total_ns: int) -> Markup:
    """A bar as long as a part of the whole."""
    width = max(BAR * ns / total_ns, 1)
    made = element("span", display="inline-block", height="9px", width=f"{width:.0f}px", background=COLOURS["execute"], border_radius="2px")
    return element("div", made, width=f"{BAR}px")


def costs(ns: int, total_ns: int) -> list[str]:
    """Bar, time and share."""
    return [bar(ns, total_ns), duration(ns), share(ns / total_ns)]


HEAD = ["", "time", "share"]
ALIGN: Mapping[int, str] = {1: "right", 2: "right"}


def line_table(lines: Mapping[Site | None, Part], total_ns: int) -> Markup:
    """A row for each line, with its operations."""
    rows = [[*costs(part.own_ns, total_ns), place(site), most(part)] for site, part in lines.items()]
    return table(rows, header=[*HEAD, "line", "operations"], align=ALIGN, wraps={3: "6em"})


def rest(lines: Mapping[Site | None, Part], total_ns: int) -> Markup:
    """The lines that are not shown at once."""
    others = dict(list(lines.items())[LINES:])
    if not others:
        return Markup()
    shown = dict(list(others.items())[:MOST])
    more = element("div", f"and {count(len(others) - MOST, 'other line')}", opacity=QUIET) if len(others) > MOST else ""
    took_ns = sum(part.own_ns for part in others.values())
    return folded(f"{count(len(others), 'other line')}, {share(took_ns / total_ns)}", line_table(shown, total_ns), more)


def scope_table(scopes: Mapping[tuple[str, bool], Part], total_ns: int) -> Markup:
    """A row for each name scope, on the way there and on the way back."""
    rows = [[*costs(part.own_ns, total_ns), scope_name(scope, is_backward=is_back), most(part)] for (scope, is_back), part in list(scopes.items())[:MOST]]
    return folded(f"by name scope: {count(len(scopes), 'scope')}", table(rows, header=[*HEAD, "scope", "operations"], align=ALIGN, wraps={3: "6em"}))


def scope_name(scope: str, *, is_backward: bool) -> str:
    """A name scope in words."""
    return f"{words.shorten(scope) or 'outside any'}{', backward' if is_backward else ''}"


def operation_table(found: tuple[Operation, ...], total_ns: int) -> Markup:
    """A row for each instruction."""
    rows = [
        [
            *costs(one.own_ns, total_ns),
            f"{one.times:,}",
            words.shorten(name(one)),
            join(place(one.site), element("div", f"with {', '.join(map(str, one.fused))}", opacity=QUIET)) if one.fused else place(one.site),
            f"{words.shorten(one.instruction)} in {words.shorten(one.program)}",
        ]
        for one in found[:MOST]
    ]
    more = element("div", f"and {count(len(found) - MOST, 'other instruction')}", opacity=QUIET) if len(found) > MOST else ""
    header = [*HEAD, "times", "operation", "line", "instruction of XLA's"]
    return folded(
        f"by operation: {count(len(found), 'instruction')}", table(rows, header=header, align={**ALIGN, 3: "right"}, wraps={4: "6em", 5: "6em"}), more
    )


def place(site: Site | None) -> str:
    """A line in words."""
    return NO_LINE if site is None else str(site)


def most(part: Part) -> str:
    """What takes most of a part."""
    kinds = list(by(part.operations, name).items())
    told = [words.shorten(op, 40) + (f" {share(each.own_ns / part.own_ns)}" if len(kinds) > 1 and part.own_ns else "") for op, each in kinds[:3]]
    return ", ".join([*told, *([f"{len(kinds) - 3} more"] if len(kinds) > 3 else [])])
