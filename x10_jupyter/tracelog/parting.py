"""Where two graphs part, and in what."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest

from x10_jupyter.records import ir
from x10_jupyter.records.cause import Kind
from x10_jupyter.records.difference import Difference
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.tracelog.reading import load_graph

ELEMENT = re.compile(r"\w+\[[^\]]*\]~?")
"""Shape and dtype within a tuple's."""

PLACES = frozenset({"device", "committed", "sharding"})
"""Tags that tell where data lies."""


def diff_graphs(a: Graph | str, b: Graph | str) -> Difference | None:
    """Where two graphs part; None if they are equal.

    Nodes are compared in their order, in which each comes after what it takes. So the first that differs is where the difference comes from, and not what
    follows from it.

    Args:
        a: The first graph: a record, or text in the form of a trace log of X10, of PyTorch/XLA or of this package.
        b: The second.

    Raises:
        UsageError: A text is no graph.
    """
    old, new = [load_graph(each) if isinstance(each, str) else each for each in (a, b)]
    for number, (before, now) in enumerate(zip_longest(old.nodes, new.nodes)):
        part = None if before == now else parting(Both(old, new, before, now))
        if part is not None:
            return Difference(kind=part[0], node=number, old=part[1], new=part[2], old_site=before and before.site, new_site=now and now.site)
    return other_roots(old, new)


def tally(old: Graph, new: Graph) -> str:
    """How much differs in two graphs, in words; empty if no more than one node does.

    Where they have the same structure, in how many nodes: ``14 of 26 nodes differ: 12 in shape, 2 in static argument``. Else which operations one has more of.
    """
    if [(node.op, node.inputs) for node in old.nodes] == [(node.op, node.inputs) for node in new.nodes]:
        parts = [parting(Both(old, new, before, now)) for before, now in zip(old.nodes, new.nodes, strict=True)]
        # a node's hash goes over all that it is computed from, so it differs wherever something before it does
        kinds = Counter(part[0].replace("_", " ") for part in parts if part is not None and part[0] != "function_rebuilt")
        told = ", ".join(f"{times} in {kind}" for kind, times in kinds.most_common())
        return f"{kinds.total()} of {len(parts)} nodes differ: {told}" if kinds.total() > 1 else ""
    before, now = [Counter(node.op for node in graph.nodes if not node.is_operand) for graph in (old, new)]
    more = [f"{which} has {few(found)} more" for which, found in (("the first", before - now), ("the second", now - before)) if found]
    return f"{'; '.join(more)}".capitalize() if more else "They have the same operations, put together in another way"


def few(found: Counter[str]) -> str:
    """Some operations, those that are most first: ``2 × jaxpr::tanh, jaxpr::add``."""
    told = [f"{times} × {op}" if times > 1 else op for op, times in found.most_common(6)]
    return ", ".join(told) + (f" and {len(found) - 6} other kinds" if len(found) > 6 else "")


@dataclass(frozen=True, slots=True)
class Both:
    """Nodes of one number in two graphs; None beyond the end of one."""

    old_graph: Graph
    new_graph: Graph
    old: Node | None
    new: Node | None


Part = tuple[Kind, str, str]
"""What differs, what it was, and what it is."""


def parting(both: Both) -> Part | None:
    """In what two nodes differ whose predecessors do not; None if it is only in their lines."""
    old, new = both.old, both.new
    if old is None or new is None or (old.op, old.inputs) != (new.op, new.inputs):
        return "structure", told(both.old_graph, old), told(both.new_graph, new)
    if old.results != new.results:
        return results(old, new)
    if old.tags != new.tags:
        return tags(old, new)
    if old.hash and new.hash and old.hash != new.hash:
        return "function_rebuilt", f"{old.op} ({old.hash})", f"{new.op} ({new.hash})"
    return None


def told(graph: Graph, node: Node | None) -> str:
    """A node as text, without its number; nothing for none."""
    return "" if node is None else f"{ir.shape(node)} {ir.call(graph.nodes, node)}"


def results(old: Node, new: Node) -> Part:
    """In what the results of two nodes differ: shapes before dtypes, and those before what only JAX tells apart."""
    if len(old.results) != len(new.results):
        return "structure", ir.shape(old), ir.shape(new)
    x, y = next((x, y) for x, y in zip(old.results, new.results, strict=True) if x != y)
    both = [ELEMENT.findall(each) if each.startswith("(") else [each] for each in (x, y)]  # XLA's tuples are one result
    if len(both[0]) != len(both[1]) or both[0] == both[1]:
        return "structure", x, y
    x, y = next((x, y) for x, y in zip(*both, strict=True) if x != y)
    if lengths(x) != lengths(y):
        return ("placement" if plain(x) == plain(y) else "shape"), x, y
    if x.rstrip("~") != y.rstrip("~"):
        return "dtype", x, y
    return "weak_type", x, y


def lengths(aval: str) -> str:
    """The lengths of an aval's text, with the axes that they are spread over."""
    return aval.partition("[")[2].partition("]")[0]


def plain(aval: str) -> list[str]:
    """The lengths alone."""
    return [length.partition("@")[0] for length in lengths(aval).split(",")]


def tags(old: Node, new: Node) -> Part:
    """In what the tags of two nodes differ."""
    before, now = dict(old.tags), dict(new.tags)
    name = next((name for name in {**before, **now} if before.get(name) != now.get(name)), "")
    kind: Kind = "constant" if old.op == "prim::Constant" else "placement" if name in PLACES else "static_argument"
    if not name:  # the same ones, in another order or several times
        return kind, repr(old.tags), repr(new.tags)
    x, y = [f"{name}={found[name]}" if name in found else "" for found in (before, now)]
    return kind, x, y


def other_roots(old: Graph, new: Graph) -> Difference | None:
    """The first root that is another one, if all nodes are equal."""
    for which, (before, now) in enumerate(zip_longest(old.roots, new.roots)):
        if before != now:
            x, y = [f"ROOT={which} is %{root[0]}.{root[1]}" if root else "" for root in (before, now)]
            sites = [graph.nodes[root[0]].site if root else None for graph, root in ((old, before), (new, now))]
            return Difference(kind="live_outputs", node=(before or now)[0], old=x, new=y, old_site=sites[0], new_site=sites[1])
    return None
