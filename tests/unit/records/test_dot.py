"""X10's layout for Graphviz, byte for byte, and Graphviz takes it."""

from dotted import drawn, picture
from factories import graph, node

SAMPLE = """\
digraph G {
  node0 [label="xla::device_data\\nf32[]\\ndevice=CPU:0"]
  node1 [label="x10::split\\n(f32[5]{0}, f32[5]{0})\\nnum_outputs=2"]
  node2 [label="aten::add\\nf32[10]{0}\\nROOT=0"]
  node3 [label="x10::neg\\nf32[5]{0}\\nROOT=1"]
  node1 -> node3 [label="o=1"]
  node0 -> node2 [label="i=0"]
  node1 -> node2 [label="i=1,o=1"]
  node0 -> node1
}
"""


def test_the_layout_of_x10() -> None:
    made = graph(
        node("xla::device_data", results=("f32[]",), tags=(("device", "CPU:0"),)),
        node("x10::split", (0, 0), results=("f32[5]", "f32[5]")),
        node("aten::add", (0, 0), (1, 1), results=("f32[10]",)),
        node("x10::neg", (1, 1), results=("f32[5]",)),
        roots=((2, 0), (3, 0)),
    )
    assert made.to_dot() == SAMPLE
    assert drawn(SAMPLE)[0]["node2"] == "aten::add\\nf32[10]{0}\\nROOT=0"


def test_a_long_tag_is_cut_as_in_x10() -> None:
    short, long = "x" * 63, "x" * 64
    label = drawn(graph(node("x10::pad", tags=(("a", short), ("b", long), ("c", long + "y")))).to_dot())[0]["node0"]
    assert label == f"x10::pad\\nf32[4]{{0}}\\na={short}\\nb={long}...\\nc={long}...\\nROOT=0"


def test_quotes_and_backslashes_of_the_users_are_no_syntax() -> None:
    hostile = graph(node("x10::<lambda>", tags=(("pattern", '"]\\n"; } \\'), ("name", "<b>&amp;</b>"))))
    nodes, edges = drawn(hostile.to_dot())
    assert nodes["node0"] == 'x10::<lambda>\\nf32[4]{0}\\npattern=\\"]\\\\n\\"; } \\\\\\nname=<b>&amp;</b>\\nROOT=0'
    assert edges == []
    png = picture(hostile.to_dot())
    assert png is None or png.startswith(b"\x89PNG")


def test_graphviz_takes_it() -> None:
    png = picture(SAMPLE)
    assert png is None or png.startswith(b"\x89PNG")
