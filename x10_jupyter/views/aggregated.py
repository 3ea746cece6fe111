"""Compiles added up by function, line, cell or cause: as text, and as a table."""

from collections.abc import Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis.aggregates import By, Group, aggregates
from x10_jupyter.diagnosis.folding import side_by_side
from x10_jupyter.records.compile import Compile
from x10_jupyter.views.markup import Markup, element, folded, table
from x10_jupyter.views.theme import QUIET

MOST = 30
"""Rows in all, the costliest; the others are counted."""

MOST_CAUSES = 3
"""Causes that are told in a row."""

SHARED: tuple[By, ...] = ("function", "cell")
"""What a report adds up by beside causes."""


def causes(group: Group) -> list[str]:
    """Why, as far as there is room for it."""
    rest = [f"and {count(len(group.causes) - MOST_CAUSES, 'other cause')}"] if len(group.causes) > MOST_CAUSES else []
    return [*group.causes[:MOST_CAUSES], *rest]


def took(groups: Sequence[Group]) -> str:
    """How long some groups took together."""
    return duration(sum(one.seconds for one in groups) * 1e9)


def summed(groups: Sequence[Group], compiles: Sequence[Compile]) -> str:
    """All groups of some compiles in one line."""
    again, lasted = sum(one.recompiles for one in groups), " ".join(filter(None, (took(groups), side_by_side(compiles))))
    return f"{count(sum(one.times for one in groups), 'program')} compiled in {lasted}, {again:,} of them again"


def rows(groups: Sequence[Group], by: By) -> list[list[str]]:
    """What, how often, how often again, how long and why; a cause says itself why it is."""
    return [[one.what, f"{one.times:,}", f"{one.recompiles:,}", took([one]), "; ".join(causes(one)) if by != "cause" else ""] for one in groups[:MOST]]


def rest(groups: Sequence[Group]) -> str:
    """What has no row; empty if all have one."""
    return f"and {count(len(groups) - MOST, 'other')}, {took(groups[MOST:])}" if len(groups) > MOST else ""


def aggregated_text(compiles: Sequence[Compile], by: By, note: str = "") -> str:
    """A line that sums up, and one for each group.

    Args:
        compiles: In order.
        by: What those of a group have in common.
        note: What is to be said of all of them.
    """
    groups = aggregates(compiles, by)
    if not groups:
        return f"Nothing was compiled{f'; {note}' if note else ''}."
    made = [["by " + by, "times", "again", "time", "why" if by != "cause" else ""], *rows(groups, by)]
    widths = [max(len(row[column]) for row in made) for column in range(4)]
    lines = ["  ".join([row[0].ljust(widths[0]), *[row[column].rjust(widths[column]) for column in (1, 2, 3)], row[4]]).rstrip() for row in made]
    return "\n".join(filter(None, [f"{summed(groups, compiles)}{f'; {note}' if note else ''}", *lines, rest(groups)]))


def aggregated_html(compiles: Sequence[Compile], by: By, note: str = "") -> Markup:
    """The same as a table."""
    groups = aggregates(compiles, by)
    if not groups:
        return element("div", aggregated_text(compiles, by, note))
    last = "why" if by != "cause" else ""
    made = table(rows(groups, by), header=["by " + by, "times", "again", "time", last], align={1: "right", 2: "right", 3: "right"}, wraps={0: "8em"})
    more = [element("div", rest(groups), opacity=QUIET)] if rest(groups) else []
    return element("div", element("div", f"{summed(groups, compiles)}{f'; {note}' if note else ''}"), made, *more, font_size="13px")


def shared(compiles: Sequence[Compile]) -> Markup:
    """Compiles of several captures, by cause and folded by what else there is; nothing if nothing was compiled."""
    if not compiles:
        return Markup()
    more = [folded(f"by {by}", aggregated_html(compiles, by)) for by in SHARED]
    return element("div", aggregated_html(compiles, "cause"), *more)
