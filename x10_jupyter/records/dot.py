"""A graph for Graphviz, in X10's layout."""

from collections.abc import Sequence

from x10_jupyter.records.ir import Roots, root_marks, shape, tags
from x10_jupyter.records.node import Node

LONGEST = 64
"""Characters of a tag's value from which on it is cut, as in X10."""


def dot(nodes: Sequence[Node], roots: Roots) -> str:
    """A whole graph: nodes in order, then edges from the last node's to the first's; ends with a line break."""
    ends = root_marks(roots)
    lines = [f'  node{number} [label="{label(node, ends.get(number, ""))}"]\n' for number, node in enumerate(nodes)]
    lines += [edge(nodes, number, place) for number in reversed(range(len(nodes))) for place in range(len(nodes[number].inputs))]
    return f"digraph G {{\n{''.join(lines)}}}\n"


def label(node: Node, end: str) -> str:
    """What is written in a node, line by line: operation, shape, tags and which root it is.

    Args:
        node: The node.
        end: What its line ends in as text: ``, ROOT=0`` for a root.
    """
    lines = [node.op, shape(node), *[f"{name}={cut(value)}" for name, value in tags(node)], *end.split(", ")[1:]]
    return "\\n".join([escaped(each) for each in lines])


def cut(value: str) -> str:
    """A tag's value, cut if it is long."""
    return value if len(value) < LONGEST else f"{value[:LONGEST]}..."


def escaped(value: str) -> str:
    """Text as it stands between quotes; Graphviz would end at a quote, and take a backslash for the beginning of something else."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def edge(nodes: Sequence[Node], target: int, place: int) -> str:
    """One value that a node takes: which of its inputs, if it has several, and which of the maker's results, if that has several."""
    source, result = nodes[target].inputs[place]
    told = [f"i={place}"] if len(nodes[target].inputs) > 1 else []
    told += [f"o={result}"] if len(nodes[source].results) > 1 else []
    shown = ' [label="' + ",".join(told) + '"]' if told else ""
    return f"  node{source} -> node{target}{shown}\n"
