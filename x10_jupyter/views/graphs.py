"""Graphs as text: which there are, one in some form, and where two part."""

from collections import Counter
from collections.abc import Sequence

from x10_jupyter.base.units import count, duration
from x10_jupyter.diagnosis import words
from x10_jupyter.records.compile import Compile
from x10_jupyter.records.cuts import Cuts
from x10_jupyter.records.difference import Difference
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.site import Site

SHORT = 8
"""Digits of an id that are shown; the beginning of an id is enough to name a graph."""

ROWS = 40
"""Graphs in a list; the rest is counted."""

LINES = 400
"""Lines of a graph's text that are shown."""


Listed = Cuts | Compile
"""A graph of lazy tensors, or a program that JAX compiled."""


def listed(found: Sequence[Listed]) -> str:
    """All graphs and programs, a line for each: number, id, size, program, how often and where it was cut, or that it was compiled."""
    rows = [["graph", "id", "operations", "program", "cut", "where"]]
    rows += [row(number, one) for number, one in enumerate(found[:ROWS], start=1)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(each, widths, strict=True)).rstrip() for each in rows]
    if len(found) > ROWS:
        lines.append(f"and {count(len(found) - ROWS, 'other graph')}")
    return "\n".join(lines)


def row(number: int, one: Listed) -> list[str]:
    """One graph's line."""
    if isinstance(one, Compile):
        return [str(number), called(one), "", words.shorten(one.program), "", compiled(one)]
    times = f"{len(one.cuts):,} ×" if one.cuts else ""
    program = next((event.program for event in reversed(one.cuts) if event.program), "")
    return [str(number), one.graph.id[:SHORT], f"{operations(one.graph):,}", words.shorten(program), times, where(one)]


def operations(graph: Graph) -> int:
    """How many nodes are operations."""
    return sum(not node.is_operand for node in graph.nodes)


def called(one: Compile) -> str:
    """What a program that JAX compiled may be called for short: ``step.2`` for ``jit(step).2``."""
    return one.function + one.program.removeprefix(f"jit({one.function})")


def compiled(one: Compile) -> str:
    """How long a program was compiled, and where."""
    return f"compiled in {duration(one.seconds * 1e9)}{words.at(one.call_site)}"


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


def program_head(one: Compile, graph: Graph) -> str:
    """One program that JAX compiled in a line, as it is at the level of a graph."""
    inner = len({node.within for node in graph.nodes if node.within})
    within = f" in it and {count(inner, 'inner computation')}" if inner else ""
    return f"program {words.shorten(one.program)} as {graph.level}, {count(operations(graph), 'operation')}{within}, {compiled(one)}"


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


def parted(difference: Difference | None, tally: str = "") -> str:
    """Where two graphs part, in words.

    Args:
        difference: It.
        tally: How much differs from there on; empty if that is not to be told.
    """
    if difference is None:
        return "The graphs are equal."
    rows = [("was", difference.old, difference.old_site), ("is", difference.new, difference.new_site)]
    lines = [f"{title:4}{text or 'nothing'}{at(site)}" for title, text, site in rows]
    return "\n".join([f"The graphs part at node %{difference.node}: {difference.kind.replace('_', ' ')}", *lines, *([tally] if tally else [])])


def at(site: Site | None) -> str:
    """Where that is, with a comma before it; empty when it is not known."""
    return f", at {site}" if site is not None else ""
