import pytest

from factories import node
from x10_jupyter.records.node import Node


def test_a_node_is_a_frozen_value() -> None:
    assert Node(op="x10::add", results=("f32[]",)) == Node(op="x10::add", results=("f32[]",), inputs=(), tags=())
    with pytest.raises(AttributeError):
        node("x10::add").op = "x10::sub"  # pyright: ignore[reportAttributeAccessIssue] # that it can't be is the point
