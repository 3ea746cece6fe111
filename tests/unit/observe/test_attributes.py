"""Attributes of objects, and names for what is passed on without any."""

import types
from typing import Any

import jax
import numpy as np
import pytest

from x10_jupyter.jax_gate.tree_level import level_of
from x10_jupyter.observe.attributes import Names, attributes_of, compared

X = np.ones(3, np.float32)


class Slotted:
    __slots__ = ("a", "unset")

    def __init__(self) -> None:
        self.a = 1


class Both(Slotted):
    def __init__(self) -> None:
        super().__init__()
        self.b = 2

    def __getattribute__(self, name: str) -> Any:
        raise ZeroDivisionError

    @property
    def c(self) -> int:
        raise ZeroDivisionError


def test_attributes_are_read_without_running_code() -> None:
    assert attributes_of(Slotted()) == {"a": 1}
    assert attributes_of(Both()) == {"a": 1, "b": 2}
    assert attributes_of(3) == {}
    assert attributes_of(types.SimpleNamespace(a=1)) == {"a": 1}


class ByWidth:
    def __init__(self, width: Any, made: int) -> None:
        self.width, self.made, self.data = width, made, [1]

    def key(self) -> Any:
        return self.width

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByWidth) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


class ByAll(ByWidth):
    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return 1


class ByIdentity:
    def __init__(self, width: int) -> None:
        self.width = width


class Told(ByWidth):
    def __repr__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ByWidth(2, 7), {"width": 2}),
        (ByAll((1, "a"), 7), {"width": (1, "a"), "made": 7}),
        (ByWidth([2], 7), {"made": 7}),
        (ByIdentity(2), {}),
        (Told(2, 7), {}),
        (3, {}),
    ],
)
def test_a_class_compares_by_what_its_comparison_names(value: object, expected: dict[str, Any]) -> None:
    assert dict(compared(value)) == expected


@jax.tree_util.register_pytree_node_class
class Pair:
    def __init__(self, a: Any, b: Any, rate: float = 1.0) -> None:
        self.a, self.b, self.rate = a, b, rate

    def tree_flatten(self) -> Any:
        return (self.a, self.b), self.rate

    @classmethod
    def tree_unflatten(cls, rate: float, parts: Any) -> "Pair":
        a, b = parts
        return cls(a, b, rate)


def names(one: Names, value: object) -> list[str]:
    level = level_of(value)
    assert level is not None
    return [name for name, _ in one.named(value, level[0])]


def test_a_part_without_a_name_has_that_of_its_attribute() -> None:
    one = Names()
    assert names(one, Pair(X, X + 1)) == [".a", ".b"]
    assert names(one, Pair(X, X)) == [".a", ".b"], "it is known by now"
    other = Pair(X, X)
    assert names(Names(), other) == ["[leaf 0 of Pair]", "[leaf 1 of Pair]"], "which is which can't be known"


def test_the_names_of_a_class_stay_the_same_as_long_as_they_are_true() -> None:
    one = Names()
    assert names(one, Pair(X, X)) == ["[leaf 0 of Pair]", "[leaf 1 of Pair]"]
    assert names(one, Pair(X, X + 1)) == ["[leaf 0 of Pair]", "[leaf 1 of Pair]"]
    two = Names()
    assert names(two, Pair(X, X + 1)) == [".a", ".b"]
    swapped = Pair(X, X + 1)
    level = level_of(swapped)
    assert level is not None
    (first, a), (second, b) = level[0]
    assert [name for name, _ in two.named(swapped, [(first, b), (second, a)])] == [".b", ".a"]


def test_what_has_names_keeps_them() -> None:
    assert names(Names(), {"w": X}) == ["['w']"]
    assert names(Names(), ()) == []
