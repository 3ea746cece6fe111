"""Counters while code runs: what they are, and what they were when somebody began to watch."""

from collections.abc import Mapping

from x10_jupyter.metrics.instruments import CounterSnapshot, Snapshot
from x10_jupyter.metrics.registry import FIRST_NAMES
from x10_jupyter.views.markup import Markup, element, table
from x10_jupyter.views.theme import QUIET

MOST = 200
"""Rows; there may be a counter for each operation."""


def watched(now: Mapping[str, Snapshot], moved: Mapping[str, Snapshot]) -> Markup:
    """A table of counters, those first that have moved; of several names for the same only the first.

    Args:
        now: What there is, by name.
        moved: What has been counted since somebody began to watch, or since all was cleared, by name.
    """
    rows = [(one, count(moved.get(name))) for name, one in now.items() if isinstance(one, CounterSnapshot) and FIRST_NAMES.get(name, name) == name]
    rows.sort(key=lambda row: (not row[1], row[0].name))
    if not rows:
        return element("div", "Nothing was counted yet.", opacity=QUIET)
    shown = [[one.name, f"{one.value:,}", f"+{more:,}" if more else ""] for one, more in rows[:MOST]]
    rest = element("div", f"and {len(rows) - MOST:,} more", opacity=QUIET) if len(rows) > MOST else ""
    return element(
        "div", table(shown, header=["counter", "now", "since it is watched"], align={1: "right"}, wraps={0: "8em"}), rest, font_size="13px", line_height="1.5"
    )


def count(one: Snapshot | None) -> int:
    """What a counter has counted; 0 if it has not moved."""
    return one.value if isinstance(one, CounterSnapshot) else 0
