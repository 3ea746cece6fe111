"""A graph equals itself, and one change is found where it was made: beside a comparison that knows nothing but the graphs' text."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.tracelog.parting import diff_graphs
from x10_jupyter.tracelog.reading import load_graph

AVALS = st.sampled_from(["f32[]", "f32[4]", "f32[4,8]", "i32[4]", "bool[3]"])
OPS = st.sampled_from(["x10::add", "x10::mul", "x10::sum", "x10::<lambda>", "x10::sum.backward"])
VALUES = st.sampled_from(["0", "1", "(0, 1)", "'a, b=c'", "[1, 2]"])


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph: inputs and constants, and operations that take what is before them."""
    nodes: list[Node] = []
    for _ in range(draw(st.integers(1, 12))):
        results = tuple(draw(st.lists(AVALS, min_size=1, max_size=2)))
        sources = [(number, result) for number, node in enumerate(nodes) for result in range(len(node.results))]
        inputs = tuple(draw(st.lists(st.sampled_from(sources), max_size=3))) if sources else ()
        if inputs:
            nodes.append(Node(op=draw(OPS), inputs=inputs, results=results, tags=(("axis", draw(VALUES)),)))
        else:
            nodes.append(Node(op="prim::Constant", results=results[:1], tags=(("value", draw(VALUES)),)))
    ends = [(number, result) for number, node in enumerate(nodes) for result in range(len(node.results))]
    return Graph(id="", nodes=tuple(nodes), roots=tuple(draw(st.lists(st.sampled_from(ends), min_size=1, max_size=3, unique=True))))


def mutated(graph: Graph, number: int, what: str, data: Any) -> Graph:
    """The graph with another shape, operation, constant or operand at one node."""
    node = graph.nodes[number]
    if what == "shape":
        node = replace(node, results=("f32[5,5,5]", *node.results[1:]))
    elif what == "op":
        node = replace(node, op="x10::other")
    elif what == "constant":
        node = replace(node, tags=((node.tags[0][0], "another"),))
    else:
        place = data.draw(st.integers(0, max(len(node.inputs) - 1, 0)))
        others = [(i, r) for i, each in enumerate(graph.nodes[:number]) for r in range(len(each.results)) if node.inputs[place : place + 1] != ((i, r),)]
        if not others or not node.inputs:
            return graph
        node = replace(node, inputs=(*node.inputs[:place], data.draw(st.sampled_from(others)), *node.inputs[place + 1 :]))
    return replace(graph, nodes=(*graph.nodes[:number], node, *graph.nodes[number + 1 :]))


def first_line_apart(a: Graph, b: Graph) -> int | None:
    """By brute force: the number of the first line that differs, of graphs whose roots are the same."""
    lines = [graph.to_text().splitlines()[1:-1] for graph in (a, b)]
    return next((number for number, (x, y) in enumerate(zip(*lines, strict=True)) if x != y), None)


@given(graphs())
def test_a_graph_equals_itself_and_its_text(graph: Graph) -> None:
    assert diff_graphs(graph, graph) is None
    assert diff_graphs(graph.to_text(), graph.to_text()) is None
    assert load_graph(graph.to_text()).to_text() == graph.to_text()


@given(graphs(), st.sampled_from(["shape", "op", "constant", "operand"]), st.data())
def test_one_change_is_found_where_it_was_made(graph: Graph, what: str, data: Any) -> None:
    number = data.draw(st.integers(0, len(graph.nodes) - 1))
    other = mutated(graph, number, what, data)
    for a, b in ((graph, other), (graph.to_text(), other.to_text())):
        found = diff_graphs(a, b)
        assert (found and found.node) == first_line_apart(graph, other) == (None if other == graph else number)
    found = diff_graphs(graph, other)
    if found is not None:
        kinds = {"shape": "shape", "op": "structure", "operand": "structure", "constant": "constant" if not graph.nodes[number].inputs else "static_argument"}
        assert found.kind == kinds[what]
        assert diff_graphs(other, graph) == replace(found, old=found.new, new=found.old)


@given(graphs(), graphs())
def test_two_graphs_part_where_their_text_does(a: Graph, b: Graph) -> None:
    found = diff_graphs(a, b)
    lines = [[line.partition(", ROOT=")[0] for line in graph.to_text().splitlines()[1:-1]] for graph in (a, b)]
    apart = next((number for number, (x, y) in enumerate(zip(*lines, strict=False)) if x != y), None)
    if apart is None and len(a.nodes) != len(b.nodes):
        apart = min(len(a.nodes), len(b.nodes))
    if apart is None:
        assert (found is None) == (a.roots == b.roots)
    else:
        assert found is not None
        assert found.node == apart
