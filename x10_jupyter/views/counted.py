"""Counters with what they counted in a capture, those first that tell of something to look at."""

from collections.abc import Iterator, Mapping, Sequence

from x10_jupyter.base.units import count
from x10_jupyter.metrics.instruments import CounterSnapshot, Snapshot
from x10_jupyter.metrics.registry import FIRST_NAMES
from x10_jupyter.metrics.table import FAMILIES, ROWS
from x10_jupyter.views.markup import Markup, element, folded, table

NOTABLE = "ReleaseCompileHandles", "TrimIrGraph", "OpByOpCompileCacheMiss", "PersistentCacheMiss", "UncachedCompile"
"""Counters that tell of work which need not be: evicted programs, traces cut for their length, what ran op by op, what was compiled. Most telling first."""

NOTABLE_FAMILIES = "fallback::", "cause::"
"""Prefixes of such counters, before all others."""

FIRST_TIME = "cause::first"
"""Every program is compiled once; that is nothing to look at."""

MOST = 120
"""Rows; there may be a counter for each operation."""

MEANS = {row.names[0]: row.means for row in ROWS} | {f"{family.prefix}::": family.means for family in FAMILIES}


def counted(metrics: Mapping[str, Snapshot]) -> Markup:
    """The whole section; nothing if nothing was counted. Of several names for the same only the first is shown."""
    counters = ordered([one for name, one in metrics.items() if isinstance(one, CounterSnapshot) and one.value and FIRST_NAMES.get(name, name) == name])
    if not counters:
        return Markup()
    loud = [f"{one.name} +{one.value:,}" for one in counters if is_notable(one.name)]
    summary = f"Counters: {', '.join([*loud[:3], count(len(counters) - min(len(loud), 3), 'other') if loud else str(len(counters))])}"
    shown = zip(counters[:MOST], first_of_families(counters[:MOST]), strict=True)
    rows = [[one.name, f"+{one.value:,}", means(one.name) if is_first else ""] for one, is_first in shown]
    rest = element("div", f"and {count(len(counters) - MOST, 'other')}") if len(counters) > MOST else ""
    return folded(summary, table(rows, header=["counter", "in this cell", "counts"], align={1: "right"}, wraps={0: "8em"}), rest)


def is_notable(name: str) -> bool:
    """Whether a counter tells of something to look at."""
    return name in NOTABLE or (name.startswith(NOTABLE_FAMILIES) and name != FIRST_TIME)


def ordered(counters: list[CounterSnapshot]) -> list[CounterSnapshot]:
    """The notable ones first, families before single ones; then single ones by name, and last families, such as those of operations, the largest first."""

    def place(one: CounterSnapshot) -> tuple[int, int, str]:
        prefix, is_family, _ = one.name.partition("::")
        if is_notable(one.name):
            return (0, -one.value, one.name) if prefix + is_family in NOTABLE_FAMILIES else (1 + NOTABLE.index(one.name), 0, one.name)
        return (len(NOTABLE) + 2, -one.value, one.name) if is_family else (len(NOTABLE) + 1, 0, one.name)

    return sorted(counters, key=place)


def first_of_families(counters: Sequence[CounterSnapshot]) -> Iterator[bool]:
    """Of each whether it is the first of its family, so that what all of it counts is said once."""
    before = ""
    for one in counters:
        family, is_member, _ = one.name.partition("::")
        yield not is_member or family != before
        before = family


def means(name: str) -> str:
    """What a counter counts, in a few words."""
    return MEANS.get(name) or MEANS.get(f"{name.partition('::')[0]}::", "")
