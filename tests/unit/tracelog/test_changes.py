"""X10's lines for how a graph changed, then the cause; byte for byte."""

from collections.abc import Callable

import pytest

from factories import graph, graphed, node, read, site
from x10_jupyter.records.cause import Cause
from x10_jupyter.tracelog.changes import ChangeLog, change

OLD = graph(node("xla::device_data", results=("f32[32,64]",)), node("x10::tanh", (0, 0), results=("f32[32,64]",)))
NEW = graph(node("xla::device_data", results=("f32[17,64]",), site=site(9)), node("x10::tanh", (0, 0), results=("f32[17,64]",)))
SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", site=site(9), fix="Pad `x` to 32 rows.", nearest="train_0")


def test_a_new_structure(golden: Callable[[str, str], None]) -> None:
    other = graph(node("xla::device_data", results=("f32[32,64]",)), node("x10::exp", (0, 0), results=("f32[32,64]",)))
    cause = Cause(kind="structure", where="cell [4] line 9", old="exp(f32[32,64])", new="tanh(f32[32,64])", site=site(9), nearest="train_0")
    golden("change_structure.txt", change(graphed(graph=OLD, nearest=other, nearest_frames=(site(7, cell=3),), cause=cause)))


def test_another_shape(golden: Callable[[str, str], None]) -> None:
    golden("change_shape.txt", change(graphed(graph=NEW, nearest=OLD, nearest_frames=(site(7), site(20, cell=5, function="<module>")), cause=SHAPE)))


def test_the_first_graph(golden: Callable[[str, str], None]) -> None:
    golden("change_first.txt", change(graphed()))


def test_the_first_line_is_x10s() -> None:
    assert change(graphed(graph=NEW, nearest=OLD, cause=SHAPE)).startswith(
        "Found different shape: f32[17,64]{1,0} vs f32[32,64]{1,0} for:\n  %0 = xla::device_data()\n"
        "Current trace:\nPython Frames:\n  train (cell [4]:9)\nPrevious trace:\nPython Frames:\n  train (cell [4]:5)\n"
    )


def test_where_x10_saw_no_difference_it_wrote_an_empty_line_and_the_cause_follows() -> None:
    held = Cause(kind="live_outputs", where="result of `tanh`", old="1 value", new="2 values", nearest="train_0")
    assert change(graphed(graph=OLD, nearest=OLD, cause=held)).startswith("\nCause: live_outputs (result of `tanh`): 1 value -> 2 values\n")


@pytest.mark.parametrize(
    "other",
    [
        graph(node("xla::device_data", results=("f32[32,64]",)), node("x10::tanh", (0, 0), results=("f32[32,64]",), tags=(("axis", "0"),))),
        graph(node("xla::device_data", results=("f32[32,64]",)), node("x10::tanh", (0, 0), (0, 0), results=("f32[32,64]",))),
        graph(*OLD.nodes, roots=((1, 0), (0, 0))),
        graph(OLD.nodes[0]),
    ],
)
def test_tags_operands_roots_and_length_are_structure(other: object) -> None:
    assert change(graphed(graph=OLD, nearest=other, cause=SHAPE)).startswith("New graph structure\nCause: ")


def test_a_program_that_had_to_go_is_no_new_structure() -> None:
    gone = Cause(kind="evicted", where="the compile cache", old="1 program kept", fix="Raise XLA_COMPILATION_CACHE_SIZE.")
    assert change(graphed(cause=gone)).startswith("\nCause: evicted (the compile cache): 1 program kept -> nothing\nFix: Raise")


def test_a_known_program_is_not_told_of() -> None:
    assert change(graphed(found="hit", cause=None)) == ""


def test_without_a_file_it_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    log = ChangeLog()
    assert log.extras == ("graphs",)
    for event in (graphed(found="compiling"), graphed(), graphed(found="hit", cause=None), read(0, 1)):
        log.emit(event)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [("INFO", change(graphed()).rstrip("\n"))]
