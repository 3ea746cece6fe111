"""Counters while code runs: what they are, and what they were when somebody began to watch."""

from collections.abc import Mapping

from x10_jupyter.metrics.instruments import CounterSnapshot, Snapshot
from x10_jupyter.metrics.registry import FIRST_NAMES, Mark
from x10_jupyter.views.markup import Markup, element, table
from x10_jupyter.views.theme import QUIET

MOST = 200
"""Rows; there may be a counter for each operation."""


def watched(now: Mapping[str, Snapshot], begun: Mark) -> Markup:
    """A table of counters, those first that have moved; of several names for the same only the first.

    Args:
        now: What there is, by name.
        begun: What there was.
    """
    rows = [(one, moved(one, begun)) for name, one in now.items() if isinstance(one, CounterSnapshot) and FIRST_NAMES.get(name, name) == name]
    rows.sort(key=lambda row: (not row[1], row[0].name))
    if not rows:
        return element("div", "Nothing was counted yet.", opacity=QUIET)
    shown = [[one.name, f"{one.value:,}", f"+{more:,}" if more else ""] for one, more in rows[:MOST]]
    rest = element("div", f"and {len(rows) - MOST:,} more", opacity=QUIET) if len(rows) > MOST else ""
    return element("div", table(shown, header=["counter", "now", "since it is watched"], align={1: "right"}), rest, font_size="13px", line_height="1.5")


def moved(one: CounterSnapshot, begun: Mark) -> int:
    """What it has counted since; all if the counters were cleared in between."""
    before = begun.get(one.name, 0)
    return one.value - before if isinstance(before, int) and before <= one.value else one.value
