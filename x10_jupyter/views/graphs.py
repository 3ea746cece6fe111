"""Graphs as text: which there are, one in some form, and where two part."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis import words
from x10_jupyter.records.cuts import Cuts
from x10_jupyter.records.difference import Difference
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.site import Site

SHORT = 8
"""Digits of an id that are shown; the beginning of an id is enough to name a graph."""

INPUTS = frozenset({"xla::device_data", "prim::Constant"})
"""Nodes that are no operations."""

ROWS = 40
"""Graphs in a list; the rest is counted."""

LINES = 400
"""Lines of a graph's text that are shown."""


def listed(found: Sequence[Cuts]) -> str:
    """All graphs, a line for each: number, id, size, program, how often and where it was cut."""
    rows = [["graph", "id", "operations", "program", "cut", "where"]]
    rows += [row(number, one) for number, one in enumerate(found[:ROWS], start=1)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(each, widths, strict=True)).rstrip() for each in rows]
    if len(found) > ROWS:
        lines.append(f"and {count(len(found) - ROWS, 'other graph')}")
    return "\n".join(lines)


def row(number: int, one: Cuts) -> list[str]:
    """One graph's line."""
    times = f"{len(one.cuts):,} ×" if one.cuts else ""
    program = next((event.program for event in reversed(one.cuts) if event.program), "")
    return [str(number), one.graph.id[:SHORT], f"{operations(one.graph):,}", words.shorten(program), times, where(one)]


def operations(graph: Graph) -> int:
    """How many nodes are operations."""
    return sum(node.op not in INPUTS for node in graph.nodes)


def where(one: Cuts) -> str:
    """What cut it most often, and on which line."""
    if not one.cuts:
        return ""
    how, site = Counter((event.how, event.site) for event in one.cuts).most_common(1)[0][0]
    return f"{words.shorten(how)}{words.at(site)}"


def head(one: Cuts) -> str:
    """One graph in a line."""
    graph = one.graph
    parts = [f"graph {graph.id[:SHORT]}", count(operations(graph), "operation"), count(len(graph.roots), "result")]
    last = one.cuts[-1] if one.cuts else None
    if last is not None and last.program:
        parts.append(f"program `{words.shorten(last.program)}`")
    if one.cuts:
        parts.append(f"cut {count(len(one.cuts), 'time')}, by {where(one)}")
    took_ns = sum(event.compile_ns for event in one.cuts)
    if took_ns:
        parts.append(f"compiled in {duration(took_ns)}")
    return ", ".join(parts)


def excerpt(text: str, of: str) -> str:
    """A text, cut if it is long.

    Args:
        text: It.
        of: What it is called where the whole is to be had.
    """
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= LINES:
        return text.rstrip("\n")
    return "\n".join([*lines[:LINES], f"… and {count(len(lines) - LINES, 'other line')}; all of it is {of}"])


def parted(difference: Difference | None) -> str:
    """Where two graphs part, in words."""
    if difference is None:
        return "The graphs are equal."
    rows = [("was", difference.old, difference.old_site), ("is", difference.new, difference.new_site)]
    lines = [f"{title:4}{text or 'nothing'}{at(site)}" for title, text, site in rows]
    return "\n".join([f"The graphs part at node %{difference.node}: {difference.kind.replace('_', ' ')}", *lines])


def at(site: Site | None) -> str:
    """Where that is, with a comma before it; empty when it is not known."""
    return f", at {site}" if site is not None else ""
