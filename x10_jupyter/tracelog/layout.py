"""The layout of a trace log: X10's, so that what reads X10's and PyTorch/XLA's logs reads ours."""

from collections.abc import Sequence

from x10_jupyter.base.units import duration
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.records.site import Site


def record(event: Graphed, graph: str, change: str | None = None) -> str:
    """One cut. What X10 does not have stands below the graph and its change, where readers of its logs skip it.

    Args:
        event: The cut.
        graph: Its graph in some form, with a line break at its end.
        change: How the graph differs from a known one, empty if it does not; None if that is not to be told.
    """
    return beginning(event, graph, change) + ending(event)


def beginning(event: Graphed, graph: str, change: str | None = None) -> str:
    """What is known of a cut before its program is compiled."""
    told = "" if change is None else f"{change}\n"
    return (
        f"[{title(event)}]\nTensorsGraphInfo:\n{python_frames(event.frames)}\nHashes: ({', '.join(event.graph.hashes)})\n"
        f"\n## BEGIN_GRAPH\n{graph}\n## END_GRAPH\n\n{told}Cut: {cut(event)}\n"
    )


def ending(event: Graphed) -> str:
    """What is known afterwards: the program, its cache key as PyTorch/XLA calls it, whether it was known, and what it cost if not."""
    named = f"Program: {event.program}\nGraph Hash: {event.key}\n" if event.program else ""
    return f"{named}Cache: {cache(event)}\n\n"


def continued(event: Graphed) -> str:
    """The same, where something else was written between."""
    return f"[Compiled] the graph with these roots: {', '.join(event.graph.hashes)}\n{ending(event)}"


def title(event: Graphed) -> str:
    """X10's name for what was done with the graph."""
    if not event.op_by_op:
        return "ScheduleSyncTensorsGraph"
    return "GetTensorsOpByOp" if event.why == "read" else "SyncTensorsGraphOpByOp"


def python_frames(frames: Sequence[Site]) -> str:
    """The user's functions that were running, the innermost first, each with its place; ends with a line break."""
    return "Python Frames:\n" + "".join(f"  {line}\n" for line in map(frame, frames) if line)


def frame(site: Site) -> str:
    """One function and its place: ``train (/home/me/train.py:12)``, ``train (cell [3]:2)``."""
    place = site.file if site.cell is None else f"cell [{site.cell}]"
    return " ".join(f"{site.function} ({place}:{site.line})".split())


def cut(event: Graphed) -> str:
    """What asked for the cut."""
    if event.why == "fallback":
        return f"`{event.how}`, which XLA cannot express: it needs values, and so it ran on its own; the frames above called it"
    return event.how


def cache(event: Graphed) -> str:
    """Whether the program was known, and what it cost if not."""
    if event.found == "none":
        return "none, each operation ran on its own"
    if event.found != "miss":
        return event.found
    how = "read from the persistent cache" if event.cache == "hit" else "compiled"
    return f"miss, {how} in {duration(event.compile_ns)}" if event.compile_ns else "miss"
