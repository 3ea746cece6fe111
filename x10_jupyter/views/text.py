"""A capture as plain text: the answer first, twelve lines at most."""

from collections.abc import Sequence

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

FINDINGS, COMPILES, READS = 2, 2, 1
"""Lines; with the answer and six single ones they make at most twelve. What is not always told is that the capture was thinned, operations and memory: one
takes the place of a compile, a second one that of a finding, and the third that of the totals."""

COLUMNS = 160
"""Characters of a line."""

INDENT = 12

SEPARATOR = " · "


def text(capture: Capture) -> str:
    """The capture for a terminal or a diff; its first line is the answer."""
    thinned, incomplete, ops, memory = phrases.thinned(capture), phrases.incomplete(capture), timed.told(capture), held.told(capture)
    more = sum(map(bool, (thinned, ops, memory)))
    lines = [
        answer(capture),
        *block("time", [split(capture)] if capture.wall_ns else []),
        *block("findings", [finding_line(one) for one in findings(capture)], FINDINGS - (more > 1)),
        *block("compiled", [compile_line(group) for group in fold(capture.compiles, same_origin)], COMPILES - (more > 0)),
        *block("steps", [summary(capture.steps)] if capture.steps else []),
        *block("operations", [ops] if ops else []),
        *block("memory", [memory] if memory else []),
        *block("totals", [phrases.totals(capture)] if more < 3 else []),
        *block("thinned", [thinned] if thinned else []),
        *block("incomplete", [incomplete] if incomplete else []),
        *block("failures", phrases.failures(capture)),
        *block("fallbacks", phrases.fallbacks(capture)),
        *block("reads", phrases.reads(capture), READS),
        *block("retraced", phrases.retraced(capture)),
        *block("slow calls", phrases.called_back(capture)),
    ]
    return "\n".join(lines)


def block(title: str, rows: Sequence[str], limit: int = 1) -> list[str]:
    """Rows under a title in the margin; of those beyond the limit the last shown row tells how many there are. What has no room is cut off."""
    ends = [""] * len(rows[:limit])
    if len(rows) > limit:
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


def compile_line(group: Sequence[Compile]) -> str:
    """Compiles of one cause at one place, or operations that ran at once in one function."""
    last = group[-1]
    took = ", ".join(filter(None, (duration(sum(one.seconds for one in group) * 1e9), phrases.found(group))))
    storm = phrases.operations(group)
    if storm:
        return f"{len(group):,} one-operation programs, {took}{origin(group)}: {storm}"
    times = f"{len(group)} × " if len(group) > 1 else ""
    fix = f"; {last.cause.fix}" if last.cause.fix else ""
    name = words.called(last).strip("`")
    return f"{times}{name}, {took}: {words.cause_at(last)}{fix}"
