"""However a graph is cut into runs, blocks never take from each other in a circle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import graph, node, site
from x10_jupyter.records.graph import Graph
from x10_jupyter.records.node import Node
from x10_jupyter.views import blocks as module
from x10_jupyter.views.blocks import FEW, between, blocks, bodies


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any: each node takes from some before it, and was recorded at one of a few lines, or at none that is known."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, 40))):
        inputs = draw(st.lists(st.tuples(st.integers(0, number - 1), st.just(0)), max_size=3)) if number else []
        line = draw(st.integers(0, 4))
        op = draw(st.sampled_from(["x10::add", "x10::mul"])) if inputs else "xla::device_data"
        nodes.append(node(op, *inputs, site=site(line) if line else None))
    return graph(*nodes)


@given(graphs(), st.integers(1, 12))
def test_at_most_so_many_that_hold_every_node_once_and_take_only_from_earlier_ones(made: Graph, most: int) -> None:
    found = blocks(made, most)
    assert 1 <= len(found) <= most
    assert tuple(node for block in found for node in block.nodes) == made.nodes
    assert [block.start for block in found] == [sum(len(each.nodes) for each in found[:which]) for which in range(len(found))]
    assert all(source < target for source, target in between(made, found))
    assert found[-1].has_root


@given(graphs())
def test_edges_are_those_between_the_nodes(made: Graph) -> None:
    found = blocks(made, 8)
    owner = {block.start + place: which for which, block in enumerate(found) for place in range(len(block.nodes))}
    expected = {(owner[edge.source], owner[edge.target]) for edge in made.edges if owner[edge.source] != owner[edge.target]}
    assert between(made, found) == sorted(expected)


def test_of_few_operations_each_stands_alone_with_its_operands() -> None:
    chain = [node("xla::device_data"), *[node("x10::sin", (place, 0), site=site(3)) for place in range(FEW)]]
    few = blocks(graph(*chain, node("prim::Constant")), 100)
    assert [len(block.nodes) for block in few] == [2, *[1] * (FEW - 2), 2]
    assert len(blocks(graph(*chain, node("x10::sin", (0, 0), site=site(3))), 100)) == 1
    assert len(blocks(graph(*chain), FEW - 1)) == 1
    assert [len(block.nodes) for block in blocks(graph(node("prim::Constant"), node("prim::Constant")), 100)] == [2]


def test_operations_of_one_line_stand_together_and_operands_with_what_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 2)
    made = graph(
        node("xla::device_data", site=site(1)),
        node("x10::sin", (0, 0), site=site(3)),
        node("x10::cos", (1, 0), site=site(3)),
        node("prim::Constant", site=site(9)),
        node("x10::add", (2, 0), (3, 0), site=site(4)),
    )
    first, second = blocks(made, 100)
    assert (first.operations, first.inputs, first.lines, first.has_root) == ({"sin": 1, "cos": 1}, 1, "cell [4] line 3", False)
    assert (second.operations, second.lines, second.has_root) == ({"add": 1}, "cell [4] line 4", True)
    (both,) = blocks(made, 1)
    assert both.lines == "cell [4] lines 3–4"


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        ([site(3, cell=None), site(8, cell=None)], "1234.py:3–8"),
        ([site(3), site(5), site(7, cell=2)], "cell [4] lines 3–5 and 1 other place"),
        ([None], "lines not known"),
    ],
)
def test_lines_as_words(sites: list[object], said: str) -> None:
    made = graph(*[node("x10::sin", site=each) for each in sites])
    (found,) = blocks(made, 1)
    assert found.lines == said


NESTED = graph(
    node("hlo::parameter"),
    node("hlo::parameter", within="fused"),
    node("hlo::sine", (1, 0), within="fused", site=site(9)),
    node("hlo::fusion", (0, 0), within="body", called=("fused",), site=site(3)),
    node("hlo::add", (3, 0), within="body", site=site(4)),
    node("hlo::while", (0, 0), called=("body",), site=site(5)),
    node("hlo::tuple", (5, 0), site=site(6)),
)


def test_a_loops_body_is_apart_and_a_fusions_parts_go_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bodies(NESTED.nodes) == {"": "", "body": "body", "fused": "body"}
    monkeypatch.setattr(module, "FEW", 0)
    found = blocks(NESTED, 100)
    assert [(block.inside, sorted(block.operations)) for block in found] == [
        ("while", ["fusion", "sine"]),
        ("while", ["add"]),
        ("", ["while"]),
        ("", ["tuple"]),
    ]
    assert between(NESTED, found) == [(0, 1), (0, 2), (1, 2), (2, 3)], "the loop comes after its body"


def test_what_runs_itself_is_in_no_loop() -> None:
    assert bodies([node("func.call", within="f", called=("f",))]) == {"": "", "f": ""}
