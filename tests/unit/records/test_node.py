import pytest

from factories import node
from x10_jupyter.records.node import Node


def test_a_node_is_a_frozen_value() -> None:
    assert Node(op="x10::add", results=("f32[]",)) == Node(op="x10::add", results=("f32[]",), inputs=(), tags=())
    with pytest.raises(AttributeError):
        node("x10::add").op = "x10::sub"  # pyright: ignore[reportAttributeAccessIssue] # that it can't be is the point


@pytest.mark.parametrize(("op", "is_operand"), [("xla::device_data", True), ("jaxpr::literal", True), ("hlo::constant", True), ("stablehlo.add", False)])
def test_what_computes_nothing_is_told(op: str, is_operand: bool) -> None:
    assert node(op).is_operand is is_operand
