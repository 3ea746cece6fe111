"""HTML that survives a notebook's sanitizer: elements with inline style only, and every text escaped."""

from collections.abc import Mapping
from html import escape


class Markup(str):
    """Text that is HTML already; anything else is escaped where it is put in."""

    __slots__ = ()


def element(tag: str, *children: str, **style: str) -> Markup:
    """One element.

    Args:
        tag: Its name; a plain container or a part of a table or of ``details``.
        children: What it holds; what is not `Markup` is escaped.
        style: CSS properties, with ``_`` for ``-``.
    """
    css = ";".join(f"{name.replace('_', '-')}:{value}" for name, value in style.items())
    inside = "".join(safe(child) for child in children)
    return Markup(f'<{tag} style="{escape(css)}">{inside}</{tag}>' if css else f"<{tag}>{inside}</{tag}>")


def safe(text: str) -> Markup:
    """The text as HTML."""
    return text if isinstance(text, Markup) else Markup(escape(text))


def join(*parts: str) -> Markup:
    """Parts one after the other."""
    return Markup("".join(safe(part) for part in parts))


def table(rows: list[list[str]], *, header: list[str], align: Mapping[int, str]) -> Markup:
    """A table whose last column takes what room there is; the others are as wide as what they hold.

    Args:
        rows: Cells by row.
        header: One title for each column.
        align: Columns that are not aligned left.
    """
    # Notebooks style tables; what they set has to be set back.
    plain = {"background": "transparent", "border": "none", "max_width": "none"}

    def line(cells: list[str], **style: str) -> Markup:
        made = [
            element(
                "td",  # for titles, too: the strictest sanitizer knows no th
                cell,
                padding="2px 14px 2px 0",
                vertical_align="top",
                text_align=align.get(column, "left"),
                white_space="normal" if column == len(cells) - 1 else "nowrap",
                **plain,
                **style,
            )
            for column, cell in enumerate(cells)
        ]
        return element("tr", *made, **plain)

    lines = [line(header, opacity="0.7"), *(line(row) for row in rows)]
    return element("table", *lines, table_layout="auto", border_collapse="collapse", margin="4px 0", font_size="inherit", color="inherit")
