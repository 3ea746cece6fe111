"""HTML that survives a notebook's sanitizer: elements with inline style only, and every text escaped."""

from collections.abc import Mapping, Sequence
from html import escape

from x10_jupyter.views.theme import QUIET

LAST = "12em"
"""Width of the last column of a table, at least; it holds sentences."""


class Markup(str):
    """Text that is HTML already; anything else is escaped where it is put in."""

    __slots__ = ()


def element(tag: str, *children: str, title: str = "", **style: str) -> Markup:
    """One element.

    Args:
        tag: Its name; a plain container or a part of a table or of ``details``.
        children: What it holds; what is not `Markup` is escaped.
        title: What a pointer over it shows.
        style: CSS properties, with ``_`` for ``-``.
    """
    css = ";".join([f"{name.replace('_', '-')}:{value}" for name, value in style.items()])
    told = "".join([f' {name}="{escape(value)}"' for name, value in (("title", title), ("style", css)) if value])
    return Markup(f"<{tag}{told}>{''.join([safe(child) for child in children])}</{tag}>")


def swatch(colour: str) -> Markup:
    """A small square of a colour, to stand before what it means."""
    return element("span", display="inline-block", width="9px", height="9px", margin_right="5px", border_radius="2px", background=colour)


def section(title: str, *parts: str) -> Markup:
    """Parts under a title; nothing if they are empty."""
    return element("div", element("div", title, font_weight="600", opacity=QUIET), *parts, margin="10px 0 0") if any(parts) else Markup()


def folded(summary: str, *parts: str) -> Markup:
    """Parts behind a line that opens them."""
    return element("details", element("summary", summary, cursor="pointer", opacity=QUIET), *parts, margin="2px 0")


def safe(text: str) -> Markup:
    """The text as HTML."""
    return text if isinstance(text, Markup) else Markup(escape(text))


def readings(found: Mapping[str, str]) -> Markup:
    """Values beside each other, each under what it is called, in as many lines as the room asks for."""
    each = {"display": "inline-block", "min_width": "5em", "padding": "0 8px 2px 0", "white_space": "nowrap"}
    made = [element("div", element("div", f"{name} ", opacity=QUIET, font_size="85%", line_height="1.2"), f"{value} ", **each) for name, value in found.items()]
    return element("div", *made)


def join(*parts: str) -> Markup:
    """Parts one after the other."""
    return Markup("".join(safe(part) for part in parts))


def table(rows: Sequence[Sequence[str]], *, header: Sequence[str], align: Mapping[int, str], wraps: Mapping[int, str] = {}) -> Markup:
    """A table whose last column takes what room there is; the others are as wide as what they hold, but for those that wrap. What has no room is scrolled to.

    Args:
        rows: Cells by row.
        header: One title for each column; empty if there is none.
        align: Columns that are not aligned left.
        wraps: Columns beside the last that hold names and places, which may be long, each with how narrow it may become.
    """

    # Notebooks style tables; what they set has to be set back.
    def line(cells: Sequence[str], last: Mapping[str, str], **style: str) -> Markup:
        made = [
            element(
                "td",  # for titles, too: the strictest sanitizer knows no th
                cell,
                padding="2px 14px 2px 0",
                vertical_align="top",
                text_align=align.get(column, "left"),
                **(last if column == len(cells) - 1 else wrapped(wraps[column]) if column in wraps else {"white_space": "nowrap"}),
                **style,
            )
            for column, cell in enumerate(cells)
        ]
        return element("tr", *made, background="transparent", border="none", max_width="none")

    normal = {"white_space": "normal", "overflow_wrap": "break-word"}
    titles = [line(header, {**normal, "min_width": LAST} if header[-1] else normal, opacity=QUIET)] if header else []
    lines = [*titles, *(line(row, normal) for row in rows)]
    made = element("table", *lines, table_layout="auto", border_collapse="collapse", margin="4px 0", font_size="inherit", color="inherit")
    return element("div", made, overflow_x="auto")


def wrapped(least: str) -> Mapping[str, str]:
    """How a cell is styled whose text takes several lines where there is little room, also a long name.

    Args:
        least: How narrow it may become.
    """
    return {"white_space": "normal", "overflow_wrap": "anywhere", "min_width": least}
