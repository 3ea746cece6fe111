"""A capture as plain text: the answer first, twelve lines at most."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, duration, share
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.views import phrases

COMPILES, READS, FALLBACKS, RETRACED = 4, 2, 1, 1
"""Lines for each; with the headline and four single lines they make at most twelve."""

INDENT = 12


def text(capture: Capture) -> str:
    """The capture for a terminal or a diff; its first line is the answer."""
    lines = [
        phrases.headline(capture),
        *block("time", [split(capture)] if capture.wall_ns else [], 1),
        *block("compiled", [compile_line(group) for group in phrases.fold_compiles(capture)], COMPILES),
        *block("steps", [phrases.steps(capture)] if capture.steps else [], 1),
        *block("totals", [phrases.totals(capture)], 1),
        *block("reads", phrases.reads(capture), READS),
        *block("fallbacks", phrases.fallbacks(capture), FALLBACKS),
        *block("retraced", phrases.retraced(capture), RETRACED),
    ]
    return "\n".join(lines)


def block(title: str, rows: Sequence[str], limit: int) -> list[str]:
    """Rows under a title in the margin; of those beyond the limit the last shown row tells how many there are."""
    shown = list(rows[:limit])
    if len(rows) > limit:
        shown[-1] += f"  (and {count(len(rows) - limit, 'other')})"
    return [f"{title if index == 0 else '':{INDENT}}{row}" for index, row in enumerate(shown)]


def split(capture: Capture) -> str:
    """All names that took time, with their share."""
    return " · ".join(f"{name} {share(ns / capture.wall_ns)} ({duration(ns)})" for name, ns in phrases.shares(capture))


def compile_line(group: Sequence[Compile]) -> str:
    """Compiles of one cause at one place."""
    last = group[-1]
    times = f"{len(group)} × " if len(group) > 1 else ""
    took = ", ".join(filter(None, (duration(sum(one.seconds for one in group) * 1e9), phrases.found(group))))
    fix = f"; {last.cause.fix}" if last.cause.fix else ""
    return f"{times}{last.function}, {took}: {phrases.cause_at(last)}{fix}"
