"""A capture as plain text: the answer first, twelve lines at most."""

from collections.abc import Mapping, Sequence

from x10_jupyter.base.units import count, duration, share
from x10_jupyter.diagnosis import words
from x10_jupyter.diagnosis.eager import origin
from x10_jupyter.diagnosis.engine import findings
from x10_jupyter.diagnosis.folding import fold, same_origin
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.findings import Finding
from x10_jupyter.views import held, phrases, timed
from x10_jupyter.views.answer import answer
from x10_jupyter.views.stepped import summary

LINES = 12
"""Lines at most."""

LIMITS = {"findings": 2, "compiled": 2}
"""Lines of a block; of another one there is one."""

GIVING = ("compiled", "findings", "totals", "slow calls", "retraced", "reads", "memory")
"""Blocks that give up a line each, the first one first, where there are more lines than are shown."""

COLUMNS = 160
"""Characters of a line."""

INDENT = 12

SEPARATOR = " · "


def text(capture: Capture) -> str:
    """The capture for a terminal or a diff; its first line is the answer."""
    thinned, incomplete, ops, memory = phrases.thinned(capture), phrases.incomplete(capture), timed.told(capture), held.told(capture)
    beside = phrases.beside(capture)
    rows: dict[str, Sequence[str]] = {
        "time": [split(capture)] if capture.wall_ns else [],
        "findings": [finding_line(one) for one in findings(capture)],
        "compiled": [compile_line(group, capture) for group in fold(capture.compiles, same_origin)],
        "steps": list(filter(None, [summary(capture.steps) if capture.steps else phrases.unstepped(capture)])),
        "operations": [ops] if ops else [],
        "memory": [memory] if memory else [],
        "totals": [phrases.totals(capture)],
        "thinned": [thinned] if thinned else [],
        "beside": [beside] if beside else [],
        "incomplete": [incomplete] if incomplete else [],
        "failures": phrases.failures(capture),
        "fallbacks": phrases.fallbacks(capture),
        "reads": phrases.reads(capture),
        "retraced": phrases.retraced(capture),
        "slow calls": phrases.called_back(capture),
    }
    limits = fitted({title: min(len(each), LIMITS.get(title, 1)) for title, each in rows.items()}, LINES - 1)
    return "\n".join([answer(capture), *[line for title, each in rows.items() for line in block(title, each, limits[title])]])


def fitted(lines: Mapping[str, int], most: int) -> dict[str, int]:
    """How many lines each block has, so that they are no more than there is room for."""
    left = dict(lines)
    for title in GIVING:
        if sum(left.values()) > most and left[title]:
            left[title] -= 1
    return left


def block(title: str, rows: Sequence[str], limit: int) -> list[str]:
    """Rows under a title in the margin; of those beyond the limit the last shown row tells how many there are. What has no room is cut off."""
    ends = [""] * len(rows[:limit])
    if len(rows) > limit > 0:
        ends[-1] = f"  (and {count(len(rows) - limit, 'other')})"
    room = COLUMNS - INDENT
    shown = [words.shorten(row, room - len(end)) + end for row, end in zip(rows, ends, strict=False)]
    return [f"{title if index == 0 else '':{INDENT}}{row}" for index, row in enumerate(shown)]


def split(capture: Capture) -> str:
    """The names that took time, with their share, as many as there is room for, the largest first."""
    parts = [f"{name} {share(ns / capture.wall_ns)} ({duration(ns)})" for name, ns in phrases.shares(capture)]
    told = SEPARATOR.join(parts)
    while len(told) > COLUMNS - INDENT:
        parts.pop()
        told = SEPARATOR.join([*parts, "…"])
    return told


def finding_line(one: Finding) -> str:
    """A finding: its share, and what to do about it, or what it is if nothing has to be done."""
    return f"{share(one.share)} {one.kind.replace('_', ' ')}, {words.took(one)}: {one.advice or one.title}"


def compile_line(group: Sequence[Compile], capture: Capture) -> str:
    """Compiles of one cause at one place, or operations that ran at once in one function.

    Args:
        group: They.
        capture: Theirs.
    """
    last = group[-1]
    took = ", ".join(filter(None, (duration(sum(one.seconds for one in group) * 1e9), phrases.found(group), phrases.elsewhere(capture, group))))
    storm = phrases.operations(group)
    if storm:
        return f"{len(group):,} one-operation programs, {took}{origin(group)}: {storm}"
    times = f"{len(group)} × " if len(group) > 1 else ""
    fix = f"; {last.cause.fix}" if last.cause.fix else ""
    name = words.called(last).strip("`")
    return f"{times}{name}, {took}: {words.cause_at(last)}{fix}"
