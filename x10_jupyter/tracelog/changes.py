"""How the graph of a compile differs from the nearest known one: X10's lines, and then the cause. X10 compared with the first graph it ever saw."""

from x10_jupyter.base.shown import shown
from x10_jupyter.records import ir
from x10_jupyter.records.avals import xla_shape
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.sink import Extra
from x10_jupyter.tracelog.layout import frame, python_frames
from x10_jupyter.tracelog.parting import diff_graphs


class ChangeLog:
    """A sink that logs the difference before a program is compiled."""

    extras: tuple[Extra, ...] = ("graphs",)
    """What to ask a producer for."""

    def emit(self, event: Event) -> None:
        """Log how a graph differs; of a known program there is nothing to tell."""
        if isinstance(event, Graphed) and event.found == "compiling":
            with shown(__name__) as logger:
                logger.info("%s", change(event).rstrip("\n"))


def change(event: Graphed) -> str:
    """How the graph of a cut differs from the nearest known one; empty for a program that was known."""
    cause = event.cause
    if cause is None:
        return ""
    if event.nearest is not None:
        said = in_x10s_words(event.graph, event.nearest)
    else:
        said = "\n" if cause.kind == "evicted" else "New graph structure\n"
    return said + in_ours(event, cause)


def in_x10s_words(new: Graph, old: Graph) -> str:
    """What X10 writes: a new structure, or the first node with another shape and both its places; nothing if neither is the case."""
    if skeleton(new) != skeleton(old):
        return "New graph structure\n"
    for number, (now, before) in enumerate(zip(new.nodes, old.nodes, strict=True)):
        if shapes(now) != shapes(before):
            return (
                f"Found different shape: {ir.shape(now)} vs {ir.shape(before)} for:\n  {ir.line(new.nodes, new.roots, number)}\n"
                f"Current trace:\n{place(now)}Previous trace:\n{place(before)}"
            )
    return "\n"


def skeleton(graph: Graph) -> object:
    """What X10 takes for the structure of a graph: everything but shapes."""
    return graph.roots, [(node.op, node.inputs, node.tags) for node in graph.nodes]


def shapes(node: Node) -> list[str]:
    """The shapes of a node's results, as XLA sees them."""
    return list(map(xla_shape, node.results))


def place(node: Node) -> str:
    """Where a node was recorded."""
    return python_frames(() if node.site is None else (node.site,))


def in_ours(event: Graphed, cause: Cause) -> str:
    """The cause: what changed, from what to what, where, what to do, and both cuts."""
    lines = [f"Cause: {cause_text(cause)}"]
    if cause.site is not None:
        lines.append(f"At: {frame(cause.site)}")
    if cause.fix:
        lines.append(f"Fix: {cause.fix}")
    lines.append(f"Current cut:\n{python_frames(event.frames)}".rstrip("\n"))
    if event.nearest is not None:
        parted = diff_graphs(event.nearest, event.graph)
        lines += [f"Compared with: {cause.nearest}{f', at {parted}' if parted is not None else ''}"]
        lines += [f"Previous cut:\n{python_frames(event.nearest_frames)}".rstrip("\n")]
    return "".join(f"{line}\n" for line in lines)


def cause_text(cause: Cause) -> str:
    """What changed, in one line: ``shape (x): f32[32,64] -> f32[17,64]``."""
    if cause.kind == "first":
        return "first: nothing like it was compiled before"
    change = f": {cause.old or 'nothing'} -> {cause.new or 'nothing'}" if cause.old or cause.new else ""
    return f"{cause.kind}{f' ({cause.where})' if cause.where else ''}{change}"
