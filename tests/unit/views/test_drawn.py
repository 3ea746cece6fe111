import re
from collections.abc import Callable
from xml.etree import ElementTree

from factories import graph, graphed, node, site
from pages import assert_survives, cells, pictures, readable
from x10_jupyter.records.cuts import Cuts
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.views.drawn import BOXES, PICTURES, ROWS, drawn, graphs, plan_of, svg


def chain(length: int, lines: int = 1_000_000) -> Graph:
    """Operations of which each takes the one before, recorded at so many lines by turns."""
    nodes = [node("xla::device_data", site=site(1))]
    nodes += [node(f"x10::op{number % 3}", (number - 1, 0), site=site(number % lines)) for number in range(1, length)]
    return graph(*nodes)


def step() -> Graph:
    """A small training step: forward, backward and update, where the update takes what was there first."""
    nodes: list[Node] = [
        node("xla::device_data", results=("f32[32,64]",)),
        node("xla::device_data", results=("f32[64,10]",)),
        node("x10::matmul", (0, 0), (1, 0), results=("f32[32,10]",), site=site(3)),
        node("x10::tanh", (2, 0), results=("f32[32,10]",), site=site(4)),
        node("x10::mean", (3, 0), results=("f32[]",), site=site(5)),
        node("x10::tanh.backward", (3, 0), results=("f32[32,10]",), site=site(9)),
        node("x10::matmul.backward", (0, 0), (5, 0), results=("f32[64,10]",), site=site(9)),
        node("prim::Constant", results=("f32[]~",), site=site(10)),
        node("x10::mul", (6, 0), (7, 0), results=("f32[64,10]",), site=site(10)),
        node("x10::sub", (1, 0), (8, 0), results=("f32[64,10]",), site=site(10)),
    ]
    return graph(*nodes, roots=((4, 0), (9, 0)), id="c0ffee0123456789")


def test_a_training_step(golden: Callable[[str, str], None]) -> None:
    section = graphs([Cuts(graph=step(), cuts=(graphed(), graphed()))])
    assert_survives(section)
    golden("drawn.html", readable(section))


def test_the_table_says_what_the_picture_shows() -> None:
    picture, table = drawn(step())
    header, *rows = cells(table)
    assert header == ["box", "makes", "lines", "goes to", "operations"]
    assert rows == [
        ["1", "f32[32,10]", "cell [4] line 3", "2, 5, 7", "matmul"],
        ["2", "f32[32,10]", "cell [4] line 4", "3, 4", "tanh"],
        ["3", "f32[]", "cell [4] line 5", "result", "mean"],
        ["4", "f32[32,10]", "cell [4] line 9", "5", "tanh.backward"],
        ["5", "f32[64,10]", "cell [4] line 9", "6", "matmul.backward"],
        ["6", "f32[64,10]", "cell [4] line 10", "7", "mul"],
        ["7", "f32[64,10]", "cell [4] line 10", "result", "sub"],
    ]
    written = [text.text or "" for text in ElementTree.fromstring(pictures(picture)[0]).iter() if text.tag.endswith("text")]
    assert [text for text in written if ":" in text] == [f"{row[0]}: {row[4]}" for row in rows]
    assert [text for text in written if text.startswith("cell")] == [row[2] for row in rows]


def test_edges_to_the_next_row_are_lines_and_longer_ones_name_the_box() -> None:
    drawing = svg(step())
    assert drawing.count("C") == 6, "1→2, 2→3, 2→4, 4→5, 5→6, 6→7"
    assert "→ 5, 7" in drawing
    assert "1 →" in drawing


def test_a_large_graph_has_at_most_a_hundred_boxes_and_a_bearable_length() -> None:
    for made in (chain(5000), chain(5000, lines=7), graph(*[node("x10::ones", site=site(which)) for which in range(3000)])):
        plan = plan_of(made)
        assert len(plan.made) <= BOXES[0]
        assert max(plan.rows) < ROWS
        assert len(graphs([Cuts(graph=made)])) < 150_000
        assert sum(sum(block.operations.values()) for block in plan.made) + (made.nodes[0].op == "xla::device_data") == len(made.nodes)


def test_boxes_lie_in_the_picture_and_not_upon_each_other() -> None:
    drawing = ElementTree.fromstring(svg(graph(*[node("x10::ones", site=site(which)) for which in range(40)])))
    width, height = float(drawing.attrib["width"]), float(drawing.attrib["height"])
    boxes = [tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height")) for rect in drawing if rect.tag.endswith("rect")]
    assert len(boxes) == 40
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in boxes)
    for one, (x, y, w, h) in enumerate(boxes):
        assert all(x + w <= a or a + c <= x or y + h <= b or b + d <= y for a, b, c, d in boxes[one + 1 :])


def test_only_the_largest_are_drawn_and_the_others_counted() -> None:
    section = graphs([Cuts(graph=chain(length)) for length in (3, 9, 5, 4)])
    assert len(pictures(section)) == PICTURES
    assert re.findall(r"(\d+) nodes", assert_survives(section).words.split("and 2")[0])[:1] == ["9"]
    assert "and 2 smaller graphs" in assert_survives(section).words


def test_no_graphs() -> None:
    assert graphs([]) == ""


def test_hostile_names_are_text() -> None:
    bad = "<script>\x00alert(1)</script>"
    made = graph(node(f"x10::{bad}", results=(bad,), site=site(1, cell=None)), id=bad)
    assert_survives(graphs([Cuts(graph=made)]))
    ElementTree.fromstring(svg(made))
