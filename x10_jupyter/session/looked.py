"""What a capture knows of the programs that JAX compiled in it: what was seen at its end, and what somebody looked at since, as long as they are alive."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.units import count, size
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Staged
from x10_jupyter.records.program import LEVELS, Level, Program, merged

ELSEWHERE = "It was compiled in another process, and nobody looked at it there."

MOST = 20
"""Programs whose costs are looked up at the end of a capture, those that took longest to compile."""

MOST_NS = 50_000_000
"""Nanoseconds after which no further one is looked up. One takes 5 to 15 µs for each of its instructions, at most a twentieth of what compiling it took."""

MOST_GRAPHS_NS = 2_000_000_000
"""The same where their graphs were asked for."""

MOST_NODES, MOST_LETTERS = 20_000, 2_000_000
"""Nodes of graphs, and letters of texts, that are saved with a capture; some 2 MB each."""


class Look(Protocol):
    """Finds out what there is of a program."""

    def __call__(self, name: str, levels: Sequence[Level] = ()) -> Program:
        """What it costs, and its graph and text at some levels.

        Args:
            name: Its name.
            levels: Those that are asked for.
        """
        ...


class Looked:
    """What is known of each, by name."""

    def __init__(self, programs: Iterable[Program] = (), look: Look | None = None) -> None:
        """Begin with what was seen.

        Args:
            programs: It.
            look: Finds out more; None where the programs are not.
        """
        self.known = {one.name: one for one in programs}
        self._look = look

    def at(self, name: str, levels: Sequence[Level] = ()) -> Program:
        """A program, with what there is of it at some levels; what was found once is not looked for again."""
        known = self.known.get(name, Program(name=name))
        wanted: list[Level] = [level for level in levels if known.graph(level) is None or level not in known.texts]
        if (not wanted and name in self.known) or (self._look is None and all(known.graph(level) or level in known.texts for level in wanted)):
            return known
        if self._look is None:
            return replace(known, missing={**dict.fromkeys(wanted, ELSEWHERE), **known.missing})
        found = self.known[name] = merged(known, self._look(name, wanted))
        return found


def at_the_end(events: Iterable[Event], look: Look, clock: Clock, levels: Sequence[Level] = ()) -> tuple[Program, ...]:
    """What is seen of the programs that took longest to compile, in a bounded time; none of operations that ran at once.

    Args:
        events: Those of the capture.
        look: Finds it out.
        clock: Tells how long that takes.
        levels: Where to look beside their costs.
    """
    until_ns = clock.now_ns() + (MOST_GRAPHS_NS if levels else MOST_NS)
    made = [event for event in events if isinstance(event, Staged) and event.program and not event.is_eager]
    found = list[Program]()
    for event in sorted(made, key=lambda one: one.start_ns - one.end_ns)[:MOST]:
        if clock.now_ns() >= until_ns:
            break
        found.append(look(event.program, levels))
    return tuple(found)


def to_save(programs: Iterable[Program]) -> tuple[Program, ...]:
    """What of some programs is saved: their costs, and their graphs and texts as far as there is room."""
    nodes, letters = MOST_NODES, MOST_LETTERS
    saved = list[Program]()
    for one in programs:
        graphs, texts, missing = list(one.graphs), dict(one.texts), dict(one.missing)
        for level in LEVELS:
            graph = one.graph(level)
            if graph is not None and len(graph.nodes) > nodes:
                graphs.remove(graph)
                missing[level] = f"It was too large to be saved: {count(len(graph.nodes), 'node')}."
            elif graph is not None:
                nodes -= len(graph.nodes)
            if len(texts.get(level, "")) > letters:
                told = f"Its text was too large to be saved: {size(len(texts.pop(level)))}."
                missing[level] = f"{missing[level]} {told}" if level in missing else told
            letters -= len(texts.get(level, ""))
        saved.append(replace(one, graphs=tuple(graphs), texts=texts, missing=missing))
    return tuple(saved)
