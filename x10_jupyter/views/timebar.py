"""Where the time went, as a bar and as a table."""

from x10_jupyter.base.units import duration, share
from x10_jupyter.records.accounting import TIME_NAMES, TimeName
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.markup import Markup, element, folded, join, swatch, table
from x10_jupyter.views.phrases import MEANING, shares
from x10_jupyter.views.theme import COLOURS, QUIET


def timebar(capture: Capture) -> Markup:
    """The bar, what its colours mean, and the same in numbers; nothing for a capture without length."""
    return join(bar(capture), legend(capture), folded("as a table", numbers(capture))) if capture.wall_ns else Markup()


def bar(capture: Capture) -> Markup:
    """The time as one bar, a colour for each name; a pointer over a part names it."""
    pieces = [
        element(
            "span", title=told(capture, name), display="inline-block", height="14px", width=f"{ns / capture.wall_ns:.4%}", background=COLOURS[name]
        )
        for name, ns in shares(capture)
    ]  # fmt: skip
    return element("div", *pieces, height="14px", line_height="0", font_size="0", white_space="nowrap", overflow="hidden", border_radius="3px")


def told(capture: Capture, name: TimeName) -> str:
    """One name's time in words."""
    ns = capture.time[name]
    return f"{name}: {duration(ns)}, {share(ns / capture.wall_ns)} ({MEANING[name]})"


def legend(capture: Capture) -> Markup:
    """What the colours mean, with time and share."""
    entries = [
        element(
            "span",
            swatch(COLOURS[name]),
            f"{name} ",
            element("span", f"{duration(ns)}, {share(ns / capture.wall_ns)} ", opacity=QUIET),
            title=told(capture, name),
            display="inline-block",
            margin_right="16px",
            white_space="nowrap",
        )
        for name, ns in shares(capture)
    ]
    return element("div", *entries, margin="4px 0 2px")


def numbers(capture: Capture) -> Markup:
    """Every name, also those that took no time, to the nanosecond; the last row is their sum."""
    rows = [row(name, capture.time[name], capture.wall_ns, MEANING[name]) for name in TIME_NAMES]
    rows.append(row("in all", sum(capture.time.values()), capture.wall_ns, "the wall time of the capture"))
    return table(rows, header=["name", "ns", "time", "share", "means"], align={1: "right", 2: "right", 3: "right"})


def row(name: str, ns: int, wall_ns: int, means: str) -> list[str]:
    """One name's."""
    return [name, f"{ns:,}", duration(ns), f"{ns / wall_ns:.1%}".replace("%", " %"), means]
