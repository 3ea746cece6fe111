"""Settings as a table: of text, and of HTML."""

from collections.abc import Sequence

from x10_jupyter.base.config import Entry
from x10_jupyter.views.markup import element, table

HEADER = ["setting", "value", "from", "what it does"]


def settings_text(entries: Sequence[Entry]) -> str:
    """Settings with value, who says so and what they do, one a line under a header."""
    rows = [HEADER, *map(row, entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(one, widths, strict=True)).rstrip() for one in rows)


def settings_html(entries: Sequence[Entry]) -> str:
    """The same for a notebook; what was changed stands out."""
    rows = [
        [x10, element("span", value, font_weight="600") if origin != "default" else value, origin, about] for x10, value, origin, about in map(row, entries)
    ]
    return element("div", table(rows, header=HEADER, align={}, wraps={0: "9em", 1: "5em"}), font_size="13px", line_height="1.5", overflow_x="auto")


def row(entry: Entry) -> list[str]:
    """The cells of one setting."""
    return [entry.x10, entry.value, entry.origin, entry.about]
