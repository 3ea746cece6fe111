"""A graph collapsed into few blocks, each a run of operations that follow each other.

A run of the order in which nodes stand can only take from runs before it; so however the order is cut, no two blocks take from each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from x10_jupyter.base.units import count
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.site import Site

LOOPS = frozenset({"while", "scan", "cond", "case", "conditional", "if", "switch"})
"""Operations whose bodies are blocks of their own; what others run, such as a fusion, goes with them."""

INPUTS = frozenset({"xla::device_data", "jaxpr::input", "stablehlo.argument", "hlo::parameter"})

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

    inside: str = ""
    """The loop or condition whose body it belongs to: ``while``; empty if none, or not all of it does."""

    @property
    def operations(self) -> Counter[str]:
        """How many of each, by name."""
        return Counter(name(node) for node in self.nodes if not node.is_operand)

    @property
    def inputs(self) -> int:
        """Inputs that it reads first."""
        return sum(node.op in INPUTS for node in self.nodes)

    @property
    def lines(self) -> str:
        """The lines that recorded it: ``cell [3] line 9``, or ``cell [3] lines 9–12``; those of another cell or file are counted."""
        sites = {(node.site.cell, node.site.file, node.site.line): node.site for node in self.nodes if node.site and not node.is_operand}
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
    """What an operation is called, without the prefix of its level."""
    return node.op.rpartition("::")[2].removeprefix("stablehlo.").removeprefix("func.")


def blocks(graph: Graph, most: int) -> list[Block]:
    """At most so many blocks: each operation if there are few; else those of one line that follow each other, and where that is too many, several together.

    Args:
        graph: It.
        most: At least 1.
    """
    few = min(FEW, most)
    around = bodies(graph.nodes)
    runs = each_of(graph.nodes)
    runs = runs if len(runs) <= few else lines_of(graph.nodes, around)
    each = -(-len(runs) // most) if runs else 1
    roots = {node for node, _ in graph.roots}
    merged = [range(runs[first].start, runs[min(first + each, len(runs)) - 1].stop) for first in range(0, len(runs), each)]
    return [
        Block(start=run.start, nodes=graph.nodes[run.start : run.stop], has_root=any(node in roots for node in run), inside=inside(graph, run, around))
        for run in merged
    ]


def bodies(nodes: Sequence[Node]) -> dict[str, str]:
    """For each computation the body of a loop or a condition that it is, or is run in; empty if it is in none."""
    callers: dict[str, Node] = {}
    for node in nodes:
        for called in node.called:
            callers.setdefault(called, node)
    found: dict[str, str] = {"": ""}

    def body(computation: str) -> str:
        if computation not in found:
            found[computation] = ""  # one that runs itself ends here
            caller = callers.get(computation)
            if caller is not None:
                found[computation] = computation if name(caller) in LOOPS else body(caller.within)
        return found[computation]

    for node in reversed(nodes):  # so that who runs a computation is met before it, and no long chain has to be followed
        body(node.within)
    return found


def inside(graph: Graph, run: range, around: Mapping[str, str]) -> str:
    """The loop or condition whose body a run belongs to."""
    nodes = graph.nodes[run.start : run.stop]
    found = {around[node.within] for node in [each for each in nodes if not each.is_operand] or nodes}
    body = found.pop() if len(found) == 1 else ""
    return next((name(node) for node in graph.nodes[run.stop :] if body in node.called), "") if body else ""


def each_of(nodes: Sequence[Node]) -> list[range]:
    """Runs of one operation each, with the operands before it; operands that nothing follows go with the last."""
    ends = [place + 1 for place, node in enumerate(nodes) if not node.is_operand]
    bounds = [0, *ends[:-1], len(nodes)]
    return [range(start, end) for start, end in pairwise(bounds) if start < end]


def lines_of(nodes: Sequence[Node], around: Mapping[str, str]) -> list[range]:
    """Runs of nodes that the same line recorded, in the same body; an operand counts as what follows it, and what a fusion is made of as the fusion.

    Args:
        nodes: They.
        around: For each computation the body that it is in.
    """
    keys = list[tuple[str, str, int] | None]()
    users: dict[str, tuple[str, str, int] | None] = {}
    for node in reversed(nodes):
        body = around[node.within]
        own = (body, node.site.file, node.site.line) if node.site else (body, "", 0) if body else None
        part_of = users.get(node.within, own) if node.within != body else own
        users.update(dict.fromkeys(node.called, part_of))
        keys.append(keys[-1] if node.is_operand and keys else part_of)
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
    """Which block takes something from which, or runs it, each pair once, ascending: the number of the maker and of the taker."""
    owner = [which for which, block in enumerate(made) for _ in block.nodes]
    ends = {node.within: number for number, node in enumerate(graph.nodes)}
    run = {(owner[ends[called]], owner[target]) for target, node in enumerate(graph.nodes) for called in node.called if ends.get(called, target) < target}
    taken = run | {(owner[source], owner[target]) for target, node in enumerate(graph.nodes) for source, _ in node.inputs}
    return sorted((source, target) for source, target in taken if source != target)
