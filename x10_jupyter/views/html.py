"""A capture as static HTML: no script, no ids, no style sheet, readable on light and on dark."""

from x10_jupyter.base.units import count, duration, share
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.compile import Compile
from x10_jupyter.views import phrases
from x10_jupyter.views.markup import Markup, element, join, table
from x10_jupyter.views.theme import COLOURS, LINE, QUIET

ROWS = 12
"""Causes of compiles and lines with reads that are shown; the rest is counted."""

FEW = 2
"""Lines with reads or fallbacks that need no folding."""


def html(capture: Capture) -> str:
    """The capture for a notebook: the answer, a bar of the time, why programs were compiled, and what else happened."""
    parts = [
        element("div", phrases.headline(capture), font_weight="600", margin="0 0 6px"),
        bar(capture),
        legend(capture),
        compiles(capture) if capture.compiles else "",
        fold(count(len(capture.reads), "read"), phrases.reads(capture)),
        fold(count(len(capture.fallbacks), "fallback"), phrases.fallbacks(capture)),
        fold(count(len(capture.retraced), "call traced again", "calls traced again"), phrases.retraced(capture)),
        footer(capture),
    ]
    return element("div", *parts, font_size="13px", line_height="1.5", max_width="64em", padding="6px 0 2px 12px", border_left=f"3px solid {LINE}")


def bar(capture: Capture) -> Markup:
    """The time as one bar, a colour for each name."""
    pieces = (
        element("span", display="inline-block", height="12px", width=f"{ns / capture.wall_ns:.4%}", background=COLOURS[name])
        for name, ns in phrases.shares(capture)
    )
    return element("div", *pieces, height="12px", line_height="0", font_size="0", white_space="nowrap", overflow="hidden", border_radius="3px")


def legend(capture: Capture) -> Markup:
    """What the colours mean, with time and share."""
    entries = (
        element(
            "span",
            element("span", display="inline-block", width="9px", height="9px", margin_right="5px", border_radius="2px", background=COLOURS[name]),
            f"{name} ",
            element("span", f"{duration(ns)}, {share(ns / capture.wall_ns)} ", opacity=QUIET),
            display="inline-block",
            margin_right="16px",
            white_space="nowrap",
        )
        for name, ns in phrases.shares(capture)
    )
    return element("div", *entries, margin="4px 0 6px")


def compiles(capture: Capture) -> Markup:
    """Why programs were compiled, those of one cause and place in one row."""
    groups = phrases.fold_compiles(capture)
    shown = table(
        [compile_row(group) for group in groups[:ROWS]],
        header=["compiled", "time", "where", "why, and what to do"],
        align={1: "right"},
    )
    rest = f"and {count(len(groups) - ROWS, 'other cause')}" if len(groups) > ROWS else ""
    return join(element("div", shown, overflow_x="auto"), element("div", rest, opacity=QUIET) if rest else "")


def compile_row(group: list[Compile]) -> list[str]:
    """One row: what, how long, which line, and why, with what to do about it beneath."""
    last = group[-1]
    times = f" × {len(group)}" if len(group) > 1 else ""
    took = duration(sum(one.seconds for one in group) * 1e9)
    site = phrases.line_of(last)
    beneath = [element("div", text, opacity=QUIET) for text in (last.cause.fix, phrases.found(group)) if text]
    why = join(phrases.cause(last.cause), *beneath)
    return [f"{last.function}{times}", took, str(site) if site else "", why]


def fold(summary: str, rows: list[str]) -> Markup:
    """Rows behind a line that opens them; few stand in the line itself, and nothing when there are none."""
    if not rows:
        return Markup()
    if len(rows) <= FEW:
        return element("div", element("span", f"{summary}: ", opacity=QUIET), "; ".join(rows), margin="2px 0")
    lines = [element("div", row, padding_left="1.2em") for row in rows[:ROWS]]
    if len(rows) > ROWS:
        lines.append(element("div", f"and {count(len(rows) - ROWS, 'other line')}", padding_left="1.2em", opacity=QUIET))
    return element("details", element("summary", summary, cursor="pointer"), *lines, margin="2px 0")


def footer(capture: Capture) -> Markup:
    """Steps, totals and what it ran on."""
    lines = [f"Steps: {phrases.steps(capture)}" if capture.steps else "", f"Totals: {phrases.totals(capture)}", phrases.environment(capture)]
    return element("div", *(element("div", line) for line in lines if line), opacity=QUIET, margin="4px 0 0")
