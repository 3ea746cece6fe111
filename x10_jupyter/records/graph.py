"""The graph of a program: what it computes, from its inputs to its roots."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from x10_jupyter.records import dot, ir
from x10_jupyter.records.node import Node


class Edge(NamedTuple):
    """A value that one node makes and another takes."""

    source: int
    """The node that makes it."""

    result: int
    """Which of its results it is."""

    target: int
    """The node that takes it."""

    place: int
    """Which of that node's inputs it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes in post-order: each comes after what it takes, and an input where it is first needed."""

    id: str
    """Equal for equal graphs, in any process: lower-case hexadecimal digits of 128 bits."""

    level: Literal["trace", "jaxpr", "stablehlo", "hlo"] = "trace"
    """What the nodes are: operations as the user recorded them, or what became of them."""

    nodes: tuple[Node, ...]
    """By number."""

    roots: tuple[tuple[int, int], ...]
    """What is computed, in the order in which it was recorded: the number of a node, and which of its results. A node may have several."""

    hashes: tuple[str, ...] = ()
    """For each root, digits of a 128-bit number that is equal for equal computations, whichever inputs they read; empty when they are not known."""

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every value that a node takes from another."""
        return tuple(Edge(source, result, target, place) for target, node in enumerate(self.nodes) for place, (source, result) in enumerate(node.inputs))

    def to_text(self) -> str:
        """The graph in X10's text form, of a program of JAX's with the user's lines; ends with a line break."""
        return ir.text(self.nodes, self.roots, with_lines=self.level != "trace")

    def to_dot(self) -> str:
        """The graph for Graphviz, in X10's layout; ends with a line break."""
        return dot.dot(self.nodes, self.roots)
