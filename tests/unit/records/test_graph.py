from factories import graph, node
from x10_jupyter.records.graph import Edge


def test_edges_are_what_nodes_take() -> None:
    made = graph(node("a", results=("f32[]", "f32[2]")), node("b", (0, 1)), node("c", (1, 0), (0, 0)))
    assert made.edges == (Edge(0, 1, 1, 0), Edge(1, 0, 2, 0), Edge(0, 0, 2, 1))


def test_it_shows_itself() -> None:
    assert graph().to_text().startswith("IR {\n")
    assert graph().to_dot().startswith("digraph G {\n")
