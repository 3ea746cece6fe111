from factories import site
from x10_jupyter.observe.drawing import LONGEST, Drawing, text


def test_nodes_are_added_and_make_a_graph() -> None:
    drawing = Drawing("hlo")
    first = drawing.add("hlo::parameter", ("f32[4]",), tags=[("a name", "0")])
    second = drawing.add("hlo::negate", ("f32[4]",), [(first, 0)], site=site(3), scope="loss")
    graph = drawing.graph([(second, 0)])
    assert (graph.level, graph.roots, [node.tags for node in graph.nodes]) == ("hlo", ((1, 0),), [(("a_name", "0"),), ()])
    assert (graph.nodes[1].scope, graph.nodes[1].site) == ("loss", site(3))


def test_an_id_tells_what_is_computed_and_not_at_which_line() -> None:
    def made(op: str, line: int) -> str:
        drawing = Drawing("hlo")
        drawing.add(op, ("f32[4]",), site=site(line))
        return drawing.graph([(0, 0)]).id

    assert made("hlo::iota", 1) == made("hlo::iota", 2) == "8b9439651235e8914183837e81b8a375"
    assert made("hlo::iota", 1) != made("hlo::rng", 1)


def test_a_tags_value_is_one_line_of_bounded_length_without_addresses() -> None:
    assert text("<function f at 0x7f00aa>\n  x") == "<function f> x"
    assert len(text("y" * 10_000)) == LONGEST
