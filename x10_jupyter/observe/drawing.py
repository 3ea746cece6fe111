"""Graphs of programs under way, as records: nodes are added, each after what it takes."""

import re
from collections.abc import Sequence
from hashlib import blake2b

from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.program import Level
from x10_jupyter.records.site import Site

LONGEST = 400
"""Letters of a tag's value."""

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

Value = tuple[int, int]
"""The number of a node, and which of its results."""


class Drawing:
    """A graph under way."""

    def __init__(self, level: Level) -> None:
        """Begin with nothing.

        Args:
            level: What its nodes are.
        """
        self.level: Level = level
        self.nodes: list[Node] = []

    def add(
        self,
        op: str,
        results: Sequence[str],
        inputs: Sequence[Value] = (),
        *,
        tags: Sequence[tuple[str, str]] = (),
        site: Site | None = None,
        scope: str = "",
        within: str = "",
        called: Sequence[str] = (),
    ) -> int:
        """Add a node; its number."""
        told = tuple([(re.sub(r"\W+", "_", name), text(value)) for name, value in tags])
        node = Node(
            op=op, inputs=tuple(inputs), results=tuple(results), tags=told, site=site, scope=scope, within=within, called=tuple(called)
        )  # fmt: skip
        self.nodes.append(node)
        return len(self.nodes) - 1

    def graph(self, roots: Sequence[Value]) -> Graph:
        """What was added, as a graph with these roots."""
        whole = [(node.op, node.inputs, node.results, node.tags, node.within, node.called) for node in self.nodes]
        digest = blake2b(repr((self.level, whole, list(roots))).encode(), digest_size=16).digest()
        return Graph(id=f"{int.from_bytes(digest):x}", level=self.level, nodes=tuple(self.nodes), roots=tuple(roots))


def text(value: str) -> str:
    """A tag's value in one line of bounded length, without addresses, which are others in each process."""
    line = " ".join(ADDRESS.sub("", value[: 4 * LONGEST]).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
