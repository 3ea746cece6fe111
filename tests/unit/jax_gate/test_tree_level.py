"""One level of a pytree."""

import dataclasses
from typing import Any, NamedTuple

import jax
import pytest

from x10_jupyter.jax_gate.tree_level import level_of


class Pair(NamedTuple):
    left: Any
    right: Any


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Point:
    x: Any
    y: Any
    name: str = dataclasses.field(default="p", metadata={"static": True})


@pytest.mark.parametrize(
    ("value", "children"),
    [
        ({"b": 1, "a": 2}, [("['a']", 2), ("['b']", 1)]),
        ([5, None], [("[0]", 5), ("[1]", None)]),
        (Pair(1, (2,)), [(".left", 1), (".right", (2,))]),
        (Point(1, 2), [(".x", 1), (".y", 2)]),
        (None, []),
        ((), []),
    ],
)
def test_a_node_has_its_parts_with_the_way_to_each(value: object, children: object) -> None:
    found = level_of(value)
    assert found is not None
    assert found[0] == children


def test_a_field_that_is_no_data_is_told_apart() -> None:
    one, other = level_of(Point(1, 2)), level_of(Point(1, 2, "q"))
    assert one is not None
    assert other is not None
    assert one[1] != other[1]


def test_a_leaf_is_none() -> None:
    assert level_of(3) is level_of("text") is level_of(object()) is None
