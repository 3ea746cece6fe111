"""A look at a program that JAX has compiled: what it costs, and its graph and text at the levels that are asked for. Nothing is made before somebody asks."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from x10_jupyter.base.errors import gist
from x10_jupyter.jax_gate.jaxpr_text import jaxpr_text
from x10_jupyter.observe.costs import cost_of, memory_of
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.hlo_graph import hlo_graph
from x10_jupyter.observe.jaxpr_graph import jaxpr_graph
from x10_jupyter.observe.programs import Made, Programs
from x10_jupyter.observe.stablehlo_graph import stablehlo_graph
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.records.program import Level, Program

UNKNOWN = "Nobody listened when it was compiled, or more than 4,096 programs were compiled since."
GONE = "It is gone: JAX keeps a program as long as its function is there, and until `jax.clear_caches()`."
UNHEARD = "Nobody listened when it was traced."

T = TypeVar("T")


def look(programs: Programs, name: str, levels: Collection[Level] = (), *, with_texts: bool = True) -> Program:
    """What there is to be found out of a program.

    Args:
        programs: Those that are known.
        name: The program's.
        levels: Where to look beside its costs.
        with_texts: Whether to take its texts, too.
    """
    made = programs.get(name)
    if made is None:
        return Program(name=name, missing=dict.fromkeys(levels, UNKNOWN))
    executable = guarded(made.executable)  # a back end may be gone
    looking = Looking(made, executable, with_texts=with_texts)
    for level in levels:
        looking.at(level)
    return Program(
        name=name,
        cost=None if executable is None else cost_of(executable.loaded),
        memory=None if executable is None else memory_of(executable.loaded),
        graphs=tuple(looking.graphs),
        texts=looking.texts,
        missing=looking.missing,
    )


class Looking:
    """A look under way. It keeps the program alive, so it must not last."""

    def __init__(self, made: Made, executable: Any, *, with_texts: bool) -> None:  # noqa: ANN401 - an `Executable`, or None
        self.made, self.executable, self.with_texts = made, executable, with_texts
        self.graphs: list[Graph] = []
        self.texts: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    def at(self, level: Level) -> None:
        """Look at a level."""
        if level == "jaxpr":
            jaxpr = self.made.jaxpr and self.made.jaxpr()
            self.take(level, jaxpr, lambda: f"{jaxpr_text(jaxpr)}\n", jaxpr_graph, UNHEARD if self.made.jaxpr is None else GONE)
        elif level == "stablehlo":
            module = self.made.module()
            self.take(level, module, lambda: f"{module}".rstrip("\n") + "\n", lambda found: self.checked(stablehlo_graph(found)), GONE)
        else:
            self.take(level, self.executable, lambda: self.executable.text, lambda found: self.checked(hlo_graph(found.module)), GONE)

    def take(self, level: Level, found: T | None, text: Callable[[], str], graph: Callable[[T], Graph], why_not: str) -> None:
        """Take what there is at a level."""
        if found is None:
            self.missing[level] = why_not
            return
        try:
            self.graphs.append(graph(found))
            if self.with_texts:
                self.texts[level] = text()
        except Exception as error:  # noqa: BLE001 - another version of JAX may write it in another way
            self.missing[level] = f"It can't be read: {type(error).__name__}: {gist(error)}."

    def checked(self, graph: Graph) -> Graph:
        """The graph without lines that the program as JAX traced it does not have.

        JAX lowers its own functions, such as ``jnp.where``, once for all who call them, with the line of whoever was the first; that may be in another program.
        """
        jaxpr = self.made.jaxpr and self.made.jaxpr()
        if jaxpr is None:
            return graph
        lines = {(node.site.file, node.site.line) for node in jaxpr_graph(jaxpr).nodes if node.site is not None}
        return replace(graph, nodes=tuple([of_lines(node, lines) for node in graph.nodes]))


def of_lines(node: Node, lines: Collection[tuple[str, int]]) -> Node:
    """A node without its line if that is none of some."""
    return node if node.site is None or (node.site.file, node.site.line) in lines else replace(node, site=None)
