"""A capture as static HTML: no script, no ids, no style sheet, readable on light and on dark."""

from collections.abc import Mapping, Sequence

from x10_jupyter.base.units import count
from x10_jupyter.metrics.instruments import Snapshot
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cuts import by_graph
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import FellBack, Graphed, Retraced
from x10_jupyter.views import phrases
from x10_jupyter.views.answer import gist, ran
from x10_jupyter.views.compiled import compiled
from x10_jupyter.views.counted import counted
from x10_jupyter.views.drawn import graphs
from x10_jupyter.views.findings import findings
from x10_jupyter.views.held import held
from x10_jupyter.views.markup import Markup, element, folded
from x10_jupyter.views.percentiles import percentiles
from x10_jupyter.views.stepped import steps
from x10_jupyter.views.theme import LINE, QUIET
from x10_jupyter.views.timebar import timebar
from x10_jupyter.views.timed import timed

ROWS = 12
"""Lines with reads and the like that are shown; the rest is counted."""

FEW = 2
"""Lines that need no folding."""


def html(capture: Capture, metrics: Mapping[str, Snapshot], note: str = "") -> str:
    """The capture for a notebook: the answer, findings, where the time went, compiles, steps, operations, memory, what else happened, counters and so on.

    Args:
        capture: It.
        metrics: What its counters and metrics moved by.
        note: What else is to be said of it, at the end.
    """
    parts = [
        element("div", element("span", gist(capture), font_weight="600"), element("span", f"; {ran(capture)}", opacity=QUIET), margin="0 0 6px"),
        findings(capture),
        timebar(capture),
        compiled(capture),
        steps(capture.steps) or unstepped(capture),
        timed(capture),
        held(capture),
        happened(capture),
        counted(metrics),
        percentiles(metrics),
        graphs(by_graph(capture.kinds.of(Graphed))),
        footer(capture, note),
    ]
    made = element("div", *parts, font_size="13px", line_height="1.5", max_width="64em", padding="6px 0 2px 12px", border_left=f"3px solid {LINE}")
    return str(made)  # hosts take it apart that know no other text


def unstepped(capture: Capture) -> Markup:
    """Why there are no steps, in place of them; nothing where no loop is known to have run."""
    told = phrases.unstepped(capture)
    return element("div", element("span", "Steps: ", opacity=QUIET), told, margin="8px 0 0") if told else Markup()


def happened(capture: Capture) -> Markup:
    """What should not have to happen: failures, fallbacks, values read, functions traced at each call."""
    return element(
        "div",
        lines(phrases.failures(capture), "failure"),
        lines(phrases.fallbacks(capture), "fallback", capture.count(FellBack)),
        lines(phrases.reads(capture), "read", capture.count(Read)),
        lines(phrases.retraced(capture), "call traced again", capture.count(Retraced), "calls traced again"),
        lines(phrases.called_back(capture), "slow call"),
        margin="8px 0 0",
    )


def lines(rows: Sequence[str], noun: str, times: int = 0, plural: str = "") -> Markup:
    """Rows behind a line that counts them; few stand in the line itself, and nothing when there are none."""
    summary = count(times or len(rows), noun, plural)
    if not rows:
        return Markup()
    if len(rows) <= FEW:
        return element("div", element("span", f"{summary}: ", opacity=QUIET), "; ".join(rows), margin="2px 0")
    made = [element("div", row, padding_left="1.2em") for row in rows[:ROWS]]
    if len(rows) > ROWS:
        made.append(element("div", f"and {count(len(rows) - ROWS, 'other line')}", padding_left="1.2em", opacity=QUIET))
    return folded(summary, *made)


def footer(capture: Capture, note: str) -> Markup:
    """Totals, what is missing, and what it ran on."""
    told = [
        f"Totals: {phrases.totals(capture)}",
        phrases.thinned(capture),
        phrases.beside(capture),
        phrases.incomplete(capture),
        note,
        phrases.environment(capture),
    ]
    return element("div", *(element("div", line) for line in told if line), opacity=QUIET, margin="6px 0 0")
