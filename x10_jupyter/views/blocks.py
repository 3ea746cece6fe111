"""A graph collapsed into few blocks, each a run of operations that follow each other.

A run of the order in which nodes stand can only take from runs before it; so however the order is cut, no two blocks take from each other.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from x10_jupyter.base.units import count
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.site import Site

OPERANDS = "xla::device_data", "prim::Constant"
"""What is no operation: it goes with the one that first takes it."""

FEW = 24
"""Up to so many operations each is a block of its own; so many can be read, and one line may have recorded all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Operations that follow each other."""

    start: int
    """Number of its first node."""

    nodes: tuple[Node, ...]

    has_root: bool
    """Whether something that it computes is a result of the graph."""

    @property
    def operations(self) -> Counter[str]:
        """How many of each, by name."""
        return Counter(name(node) for node in self.nodes if node.op not in OPERANDS)

    @property
    def inputs(self) -> int:
        """Device data that it reads first."""
        return sum(node.op == OPERANDS[0] for node in self.nodes)

    @property
    def lines(self) -> str:
        """The lines that recorded it: ``cell [3] line 9``, or ``cell [3] lines 9–12``; those of another cell or file are counted."""
        sites = {(node.site.cell, node.site.file, node.site.line): node.site for node in self.nodes if node.site and node.op not in OPERANDS}
        if not sites:
            return "lines not known"
        places = Counter((cell, file) for cell, file, _ in sites)
        (cell, file), _ = places.most_common(1)[0]
        shown = sorted([site for (its_cell, its_file, _), site in sites.items() if (its_cell, its_file) == (cell, file)], key=lambda site: site.line)
        others = f" and {count(len(places) - 1, 'other place')}" if len(places) > 1 else ""
        return spanned(shown) + others


def spanned(sites: Sequence[Site]) -> str:
    """Lines of one cell or file, ascending, as text."""
    first, last = str(sites[0]), sites[-1].line
    if len(sites) == 1:
        return first
    return f"{first}–{last}".replace(" line ", " lines ")


def name(node: Node) -> str:
    """What an operation is called, without X10's prefix."""
    return node.op.rpartition("::")[2]


def blocks(graph: Graph, most: int) -> list[Block]:
    """At most so many blocks: each operation if there are few; else those of one line that follow each other, and where that is too many, several together.

    Args:
        graph: It.
        most: At least 1.
    """
    few = min(FEW, most)
    runs = each_of(graph.nodes)
    runs = runs if len(runs) <= few else lines_of(graph.nodes)
    each = -(-len(runs) // most) if runs else 1
    roots = {node for node, _ in graph.roots}
    merged = [range(runs[first].start, runs[min(first + each, len(runs)) - 1].stop) for first in range(0, len(runs), each)]
    return [Block(start=run.start, nodes=graph.nodes[run.start : run.stop], has_root=any(node in roots for node in run)) for run in merged]


def each_of(nodes: Sequence[Node]) -> list[range]:
    """Runs of one operation each, with the operands before it; operands that nothing follows go with the last."""
    ends = [place + 1 for place, node in enumerate(nodes) if node.op not in OPERANDS]
    bounds = [0, *ends[:-1], len(nodes)]
    return [range(start, end) for start, end in pairwise(bounds) if start < end]


def lines_of(nodes: Sequence[Node]) -> list[range]:
    """Runs of nodes that the same line recorded; an operand counts as what follows it."""
    keys = list[tuple[str, int] | None]()
    for node in reversed(nodes):
        is_operand = node.op in OPERANDS and keys
        keys.append(keys[-1] if is_operand else (node.site.file, node.site.line) if node.site else None)
    return stretches(reversed(keys))


def stretches(keys: Iterable[object]) -> list[range]:
    """Where equal keys follow each other."""
    found, start = list[range](), 0
    for _, same in groupby(keys):
        end = start + len(list(same))
        found.append(range(start, end))
        start = end
    return found


def between(graph: Graph, made: Sequence[Block]) -> list[tuple[int, int]]:
    """Which block takes something from which, each pair once, ascending: the number of the maker and of the taker."""
    owner = [which for which, block in enumerate(made) for _ in block.nodes]
    taken = {(owner[source], owner[target]) for target, node in enumerate(graph.nodes) for source, _ in node.inputs}
    return sorted((source, target) for source, target in taken if source != target)
