from dataclasses import replace

from factories import graph, program
from x10_jupyter.records.program import LEVELS, Program, merged

JAXPR, HLO = replace(graph(id="1"), level="jaxpr"), replace(graph(id="2"), level="hlo")


def test_a_graph_by_its_level() -> None:
    made = program(graphs=(JAXPR, HLO))
    assert [made.graph(level) for level in LEVELS] == [JAXPR, None, HLO]


def test_two_looks_are_put_together() -> None:
    first = program(graphs=(HLO,), texts={"hlo": "HloModule"}, missing={"jaxpr": "Nobody listened."})
    second = Program(name=first.name, graphs=(JAXPR,), missing={"stablehlo": "It is gone.", "hlo": "It is gone."})
    both = merged(first, second)
    assert (both.cost, both.memory, both.graphs, both.texts) == (first.cost, first.memory, (JAXPR, HLO), {"hlo": "HloModule"})
    assert both.missing == {"stablehlo": "It is gone."}, "what one look has found the other one does not miss"
