"""The graphs of a capture, each with the cuts that computed it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from x10_jupyter.records.events import Event
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.runtime_events import Graphed


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """One graph."""

    graph: Graph
    """What was computed."""

    cuts: tuple[Graphed, ...] = ()
    """Each time that it was, in order; none for a graph that is in no capture. What was never compiled to an end is told by what had begun."""

    @property
    def texts(self) -> Mapping[str, str]:
        """What became of it, in the forms that were recorded: ``hlo``, ``stablehlo``, ``jaxpr``."""
        return {form: text for event in self.cuts for form, text in event.texts.items()}


def by_graph(events: Iterable[Event]) -> tuple[Cuts, ...]:
    """The graphs that events tell of, in the order of their first cut."""
    found: dict[str, list[Graphed]] = {}
    for event in events:
        if isinstance(event, Graphed):
            found.setdefault(event.graph.id, []).append(event)
    return tuple(Cuts(graph=group[-1].graph, cuts=ended(group)) for group in found.values())


def ended(group: list[Graphed]) -> tuple[Graphed, ...]:
    """The cuts among what was told: that a program is about to be compiled is told only to those whose compile did not end."""
    return tuple(each for each in group if each.found != "compiling") or tuple(group)
