"""What can be seen of objects and classes: an edit of a method or an attribute is seen, and what cannot be seen into is traced again."""

import functools
import sys
import threading
import types
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import flax.linen as nn
import jax
import numpy as np
import pytest

import x10_jupyter as x10
from edits import Edit, cell_names, edits, judge
from runtime import listening
from x10_jupyter.lazy.kinds import (
    attributes_of,
    is_attributes,
    is_hashable,
    is_library_class,
    is_part,
    is_plain,
    is_user_module,
    is_wrapped_library,
    unwrapped,
)
from x10_jupyter.records.runtime_events import Retraced


@pytest.mark.parametrize("edit", edits("objects") + edits("dataclasses"), ids=lambda e: e.name)
def test_an_object_is_never_stale(edit: Edit) -> None:
    judge(edit, cell_names())


class Net(nn.Module):
    width: int = 5

    @nn.compact
    def __call__(self, x: Any) -> Any:
        return nn.Dense(3)(nn.relu(nn.Dense(self.width)(x)))


def test_a_flax_module_can_be_seen_into() -> None:
    # Its class has a descriptor and sentinels of Flax's, for which it used to be traced at each call.
    net, x = Net(), np.ones((2, 4), np.float32)
    weights = net.init(jax.random.key(0), x)
    run = x10.lazy(net.apply)
    with listening() as events:
        np.testing.assert_allclose(np.asarray(run(weights, x10.tensor(x))), np.asarray(net.apply(weights, x)), rtol=1e-6)
    assert not [e for e in events if isinstance(e, Retraced)]
    wider = Net(width=6)
    others = wider.init(jax.random.key(0), x)
    np.testing.assert_allclose(np.asarray(x10.lazy(wider.apply)(others, x10.tensor(x))), np.asarray(wider.apply(others, x)), rtol=1e-6)


class Plain:
    pass


class Slotted:
    __slots__ = ("a",)


class Below(Slotted):
    pass


class Kind(dict[str, int]):
    pass


class Unhashable:
    def __hash__(self) -> int:
        raise RuntimeError("no hash")


@pytest.mark.parametrize(("x", "expected"), [((1, "a"), True), ([], False), (Plain(), True), (Unhashable(), False)], ids=lambda x: type(x).__name__)
def test_is_hashable(x: object, expected: bool) -> None:
    assert is_hashable(x) is expected


@pytest.mark.parametrize(
    ("cls", "expected"),
    [(Plain, False), (dict, True), (OrderedDict, True), (np.ndarray, True), (type(jax.numpy.float32), True), (Net, False), (nn.Module, True)],
)
def test_is_library_class(cls: type, expected: bool) -> None:
    assert is_library_class(cls) is expected


def test_a_class_of_no_known_module_is_the_users() -> None:
    assert not is_library_class(type("Made", (), {"__module__": "no_such_module"}))


@pytest.mark.parametrize(("module", "expected"), [(np, False), (sys, False), (x10, False), (sys.modules[__name__], True), (types.ModuleType("m"), False)])
def test_is_user_module(module: types.ModuleType, expected: bool) -> None:
    assert is_user_module(module) is expected


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (jax.nn.relu, True),
        (jax.nn.silu, True),
        (jax.jit(lambda x: x), False),
        (jax.jit(jax.jit(lambda x: x)), False),
        (functools.wraps(np.sort)(lambda x: x), False),
    ],
)
def test_is_wrapped_library(x: Callable[..., Any], expected: bool) -> None:
    assert is_wrapped_library(x) is expected


@pytest.mark.parametrize(
    ("cls", "attributes", "plain"), [(Plain, True, True), (Slotted, False, False), (Below, False, False), (Kind, False, False), (threading.Thread, True, False)]
)
def test_what_an_object_of_a_class_is(cls: type, attributes: bool, plain: bool) -> None:
    assert (is_attributes(cls), is_plain(cls)) == (attributes, plain)


def test_attributes_of_an_object_are_in_its_dict_and_its_slots() -> None:
    it = Below()
    it.a = 1
    vars(it)["b"] = 2
    assert attributes_of(it) >= {"a", "b"}
    assert attributes_of(deque()) == set()
    one = type("One", (), {"__slots__": "whole"})
    assert attributes_of(one()) == {"whole"}, "one slot may be given as text"


@pytest.mark.parametrize(
    ("name", "part", "expected"), [("k", 1, True), ("go", len, True), ("__call__", len, True), ("__doc__", "text", False), ("__dict__", len, False)]
)
def test_is_part(name: str, part: object, expected: bool) -> None:
    assert is_part(name, part) is expected


@pytest.mark.parametrize(
    ("part", "inside"),
    [(staticmethod(len), len), (classmethod(repr), repr), (property(len), (len, None)), (functools.cached_property(len), len), (len, len), (3, 3)],
)
def test_unwrapped(part: object, inside: object) -> None:
    assert unwrapped(part) == inside
