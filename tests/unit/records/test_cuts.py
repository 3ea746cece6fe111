from factories import graph, graphed, node, read
from x10_jupyter.records.cuts import by_graph

OTHER = graph(node("x10::iota"), id="2e")


def test_each_graph_comes_once_with_its_cuts_in_order() -> None:
    events = [graphed(0), graphed(2, graph=OTHER), read(3, 4), graphed(5)]
    first, second = by_graph(events)
    assert (first.graph, first.cuts) == (graph(), (graphed(0), graphed(5)))
    assert (second.graph, second.cuts) == (OTHER, (graphed(2, graph=OTHER),))


def test_a_compile_that_had_begun_is_told_only_where_it_did_not_end() -> None:
    begun, done = graphed(0, found="compiling"), graphed(0, found="miss")
    ((ended,), (never,)) = by_graph([begun, done]), by_graph([begun])
    assert (ended.cuts, never.cuts) == ((done,), (begun,))


def test_texts_are_those_that_any_cut_has() -> None:
    (one,) = by_graph([graphed(0, texts={"hlo": "HloModule"}), graphed(2, texts={"jaxpr": "let"}), graphed(3)])
    assert one.texts == {"hlo": "HloModule", "jaxpr": "let"}
