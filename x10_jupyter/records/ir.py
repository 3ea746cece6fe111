"""A graph in X10's text form: ``IR {``, a line for each node, ``}``."""

from collections.abc import Sequence

from x10_jupyter.records.avals import xla_shape
from x10_jupyter.records.node import Node
from x10_jupyter.records.site import Site

Roots = Sequence[tuple[int, int]]
"""Numbers of nodes, each with which of its results is meant."""


def text(nodes: Sequence[Node], roots: Roots, *, with_lines: bool = False) -> str:
    """A whole graph; ends with a line break.

    Args:
        nodes: Its nodes.
        roots: What it computes.
        with_lines: Whether to tell the user's line of each node, as PyTorch/XLA does.
    """
    ends = root_marks(roots)
    places = [location(node.site) if with_lines else "" for node in nodes]
    lines = [f"  %{number} = {shape(node)} {call(nodes, node)}{places[number]}{ends.get(number, '')}\n" for number, node in enumerate(nodes)]
    return f"IR {{\n{''.join(lines)}}}\n"


def location(site: Site | None) -> str:
    """A line as a tag: ``, location=step@model.py:12``; ``, location=step@cell [3]:12`` in a notebook. Empty if it is not known."""
    if site is None:
        return ""
    return f", location={site.function}@{site.file if site.cell is None else f'cell [{site.cell}]'}:{site.line}"


def line(nodes: Sequence[Node], roots: Roots, number: int) -> str:
    """One node without its shape, as in X10's log of graph changes: ``%2 = x10::add(%0, %1), ROOT=0``."""
    return f"%{number} = {call(nodes, nodes[number])}{root_marks(roots).get(number, '')}"


def shape(node: Node) -> str:
    """The shape of a node; of several results, as a tuple."""
    results = node.results
    return xla_shape(results[0]) if len(results) == 1 else f"({', '.join(map(xla_shape, results))})"


def call(nodes: Sequence[Node], node: Node) -> str:
    """The operation with its inputs and tags: ``x10::sum(%3.1), axis=0``."""
    inputs = ", ".join([f"%{source}" if len(nodes[source].results) == 1 else f"%{source}.{result}" for source, result in node.inputs])
    return f"{node.op}({inputs}){''.join([f', {name}={value}' for name, value in tags(node)])}"


def tags(node: Node) -> Sequence[tuple[str, str]]:
    """A node's tags, with X10's for the number of its results, if that is not one, and with what it is a part of and runs."""
    outputs = () if len(node.results) == 1 else (("num_outputs", str(len(node.results))),)
    nesting = (("scope", node.scope), ("within", node.within), ("calls", "+".join(node.called)))
    return (*outputs, *node.tags, *[(name, value) for name, value in nesting if value])


def root_marks(roots: Roots) -> dict[int, str]:
    """What the line of each root ends in: ``, ROOT=0``; ``, ROOT=0.1`` for a result that is not the node's first."""
    found: dict[int, str] = {}
    for which, (number, result) in enumerate(roots):
        found[number] = f"{found.get(number, '')}, ROOT={which}{f'.{result}' if result else ''}"
    return found
