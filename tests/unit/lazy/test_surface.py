"""Tensors have every method and property of a jax.Array."""

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.jax_gate.array_surface import array_methods, array_properties
from x10_jupyter.lazy.surface import is_function
from x10_jupyter.records.runtime_events import Cut

X = np.array([[3, 1], [2, 5]], np.float32)


@pytest.mark.parametrize("name", sorted({*array_methods(), *array_properties()}))
def test_nothing_is_missing(name: str) -> None:
    assert hasattr(x10.Tensor, name)


RECORDED: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(axis=0), "T": lambda x: x.T, "reshape": lambda x: x.reshape(4), "astype": lambda x: x.astype("int32"), "mT": lambda x: x.mT,
    "max": lambda x: x.max(), "argsort": lambda x: x.argsort(), "clip": lambda x: x.clip(2, 3), "dot": lambda x: x.dot(x), "real": lambda x: x.real,
    "mean": lambda x: x.mean(1, keepdims=True), "transpose": lambda x: x.transpose(1, 0), "flatten": lambda x: x.flatten(), "round": lambda x: x.round(1),
}  # fmt: skip


@pytest.mark.parametrize("use", RECORDED.values(), ids=RECORDED.keys())
def test_what_can_be_recorded_is(use: Callable[[Any], Any]) -> None:
    with listening() as events:
        got = use(x10.tensor(X))
        assert "pending" in repr(got)
        assert not [e for e in events if isinstance(e, Cut)]
    np.testing.assert_array_equal(np.asarray(got), np.asarray(use(jnp.array(X))))


def test_what_needs_the_array_reads_it() -> None:
    t = x10.tensor(X) * 1.0
    assert t.tolist() == X.tolist()
    assert t.sharding == jnp.array(X).sharding
    assert t.devices() == {jax.devices()[0]}
    assert t.is_deleted() is False


def test_documentation_comes_along() -> None:
    assert vars(x10.Tensor)["sum"].__doc__ == jax.Array.sum.__doc__
    assert vars(x10.Tensor)["tolist"].__name__ == "tolist"


@pytest.mark.parametrize("name", ["sum", "reshape", "astype", "nonzero", "addressable_data"])
def test_parameters_are_shown(name: str) -> None:
    assert inspect.signature(vars(x10.Tensor)[name]) == inspect.signature(getattr(jax.Array, name))


def test_is_function() -> None:
    assert is_function("nonzero")
    assert not is_function("tolist")
