"""X10's text form, byte for byte."""

from factories import graph, node
from x10_jupyter.records import ir

SAMPLE = """\
IR {
  %0 = f32[] xla::device_data(), device=CPU:0
  %1 = f32[] prim::Constant(), value=1
  %2 = f32[10]{0} aten::add(%0, %1), ROOT=0
}
"""


def test_the_sample_of_x10() -> None:
    made = graph(
        node("xla::device_data", results=("f32[]",), tags=(("device", "CPU:0"),)),
        node("prim::Constant", results=("f32[]",), tags=(("value", "1"),)),
        node("aten::add", (0, 0), (1, 0), results=("f32[10]",)),
    )
    assert made.to_text() == SAMPLE


def test_several_results_are_a_tuple_and_what_takes_one_says_which() -> None:
    qr = node("x10::qr", (0, 0), results=("f32[8,3]", "f32[3,3]"), tags=(("mode", "'reduced'"),))
    made = graph(node("xla::device_data", results=("f32[8,3]",)), qr, node("x10::add", (1, 0), (1, 1)), roots=((1, 0), (2, 0), (1, 1)))
    assert made.to_text().splitlines()[2:4] == [
        "  %1 = (f32[8,3]{1,0}, f32[3,3]{1,0}) x10::qr(%0), num_outputs=2, mode='reduced', ROOT=0, ROOT=2.1",
        "  %2 = f32[4]{0} x10::add(%1.0, %1.1), ROOT=1",
    ]


def test_a_line_without_its_shape() -> None:
    made = graph()
    assert ir.line(made.nodes, made.roots, 2) == "%2 = x10::mul(%0, %1), ROOT=0"
    assert ir.line(made.nodes, made.roots, 1) == "%1 = prim::Constant(), value=0.5"
