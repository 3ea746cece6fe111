"""X10's text form, byte for byte."""

from factories import graph, node, site
from x10_jupyter.records import ir
from x10_jupyter.tracelog.reading import load_graph

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


def test_programs_tell_scopes_lines_and_what_runs_what() -> None:
    inside = node("hlo::add", (0, 0), scope="block/loss", within="body", site=site(3))
    loop = node("hlo::while", (0, 0), called=("cond", "body"), site=site(9, cell=None))
    lines = graph(node("hlo::parameter"), inside, loop, level="hlo").to_text().splitlines()
    assert lines[2:4] == [
        "  %1 = f32[4]{0} hlo::add(%0), scope=block/loss, within=body, location=train@cell [4]:3",
        f"  %2 = f32[4]{{0}} hlo::while(%0), calls=cond+body, location=train@{loop.site.file if loop.site else ''}:9, ROOT=0",
    ]
    assert "location" not in graph(node("xla::device_data"), inside, loop).to_text()


def test_the_text_of_a_program_is_read_again() -> None:
    made = graph(node("hlo::parameter"), node("hlo::add", (0, 0), (0, 0), site=site(3, cell=None)), level="hlo")
    assert load_graph(made.to_text()).nodes[1].site == made.nodes[1].site
