"""Graphs as text, of three tools."""

import pytest

from factories import graph, graphed, node
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.site import Site
from x10_jupyter.tracelog.layout import record
from x10_jupyter.tracelog.reading import load_graph, split_tags

X10 = """\
[ScheduleSyncTensorsGraph]
TensorsGraphInfo:
Swift Frames:
  $s4main5trainyyF

Hashes: (986ddacef03810dea5d00e9ec233f56)

## BEGIN_GRAPH
IR {
  %0 = f32[] xla::device_data(), device=CPU:0
  %1 = s32[] prim::Constant(), value=1
  %2 = (f32[5]{0}, pred[5]{0}) x10::split(%0), num_outputs=2, sizes=(5, 5), dim=0
  %3 = f32[10]{0} aten::add(%2.1, %1), ROOT=0
}

## END_GRAPH
"""
PYTORCH = """\
IR {
  %0 = f32[] prim::Constant(), xla_shape=f32[], value=1
  %1 = [2,3] xla::device_data(), xla_shape=f32[2,3]{1,0}, device=TPU:0, location=forward@/home/me/model.py:12
  %2 = f32[2,3]{1,0} aten::mul(%1, %0), xla_shape=f32[2,3]{1,0}, dynamic_dims: (), ROOT=0
}
"""


def test_a_log_of_x10() -> None:
    found = load_graph(X10)
    assert found.nodes == (
        node("xla::device_data", results=("f32[]",), tags=(("device", "CPU:0"),), site=None),
        node("prim::Constant", results=("i32[]",), tags=(("value", "1"),), site=None),
        node("x10::split", (0, 0), results=("f32[5]", "bool[5]"), tags=(("sizes", "(5, 5)"), ("dim", "0")), site=None),
        node("aten::add", (2, 1), (1, 0), results=("f32[10]",), site=None),
    )
    assert found.roots == ((3, 0),)
    assert found.to_text() in X10


def test_a_graph_of_pytorch_xla() -> None:
    found = load_graph(PYTORCH)
    assert [each.results for each in found.nodes] == [("f32[]",), ("f32[2,3]",), ("f32[2,3]",)]
    assert found.nodes[1].site == Site(file="/home/me/model.py", line=12, function="forward")
    assert found.nodes[1].tags == (("device", "TPU:0"),)
    assert found.nodes[2].inputs == ((1, 0), (0, 0))
    assert found.roots == ((2, 0),)


def test_what_is_written_is_read_again() -> None:
    made = graph(
        node("xla::device_data", results=("i32[8,3]",), tags=(("device", "CPU:0+CPU:1"), ("sharding", "P('rows', None)"))),
        node("x10::qr", (0, 0), results=("f32[8,3]", "f32[3,3]"), tags=(("mode", "'a, b=(c'"), ("shape", "{'x': [1, 2], 'y': (3,)}"))),
        node("x10::<lambda>", (1, 1), (1, 0), results=("bool[]",)),
        roots=((1, 0), (2, 0), (1, 1)),
    )
    assert load_graph(made.to_text()).to_text() == made.to_text()
    assert load_graph(made.to_text()).roots == made.roots


def test_of_a_log_it_is_the_first_graph() -> None:
    text = record(graphed(), graph().to_text()) + record(graphed(), graph(node("x10::other")).to_text())
    assert load_graph(text).to_text() == graph().to_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^A graph as text has a line `IR \{` and ends with `\}`"),
        ("digraph G {\n}\n", r"got digraph G"),
        ("IR {\n  %0 = f32[] x10::one()\n", r"^A graph as text"),
        ("IR {\n  %0 = f32[] x10::one()\n  nonsense\n}\n", r"^Each line of a graph is a node .*; got nonsense\."),
        ("IR {\n  %1 = f32[] x10::neg(%0)\n}\n", r"got %1 = f32\[\] x10::neg\(%0\)\."),
    ],
)
def test_what_is_no_graph_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_graph(text)


def test_tags_may_hold_commas_inside_brackets() -> None:
    assert list(split_tags(", a=1, b=(1, c=2), d='x, y', e=[")) == [("a", "1"), ("b", "(1, c=2)"), ("d", "'x, y'"), ("e", "[")]
    assert list(split_tags("")) == []
