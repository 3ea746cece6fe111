"""Functions that take `device`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import x10_jupyter as x10
import x10_jupyter.numpy as xnp
from runtime import listening
from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.placing import Placing, recording, takes_device
from x10_jupyter.records.runtime_events import Cut

ONE, TWO = jax.devices()[:2]
SPREAD = NamedSharding(Mesh(np.array([ONE, TWO]), ("x",)), PartitionSpec("x"))
MADE = {
    "zeros": lambda device: xnp.zeros((4, 2), device=device),
    "full": lambda device: xnp.full((4, 2), x10.tensor(2.0), device=device),
    "arange": lambda device: xnp.arange(4.0, device=device),
    "linspace": lambda device: xnp.linspace(0, 1, 4, device=device),
    "eye": lambda device: xnp.eye(4, device=device),
    "asarray of a list": lambda device: xnp.asarray([1.0, 2.0], device=device),
    "asarray of a tensor": lambda device: xnp.asarray(x10.tensor([1.0, 2.0]) * 2.0, device=device),
    "asarray of an array": lambda device: xnp.asarray(jnp.ones(4), device=device),
    "zeros_like": lambda device: xnp.zeros_like(x10.tensor([1.0, 2.0]) * 2.0, device=device),
    "astype": lambda device: xnp.astype(x10.tensor([1.0, 2.0]), np.int32, device=device),
    "the method astype": lambda device: x10.tensor([1.0, 2.0]).astype(np.int32, device=device),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
@pytest.mark.parametrize("device", ["CPU:1", x10.Device("CPU:1"), TWO, SPREAD], ids=str)
def test_the_result_is_there(make: Any, device: Any) -> None:
    made, want = make(device), make(None)
    assert isinstance(made, x10.Tensor)
    assert made.data.devices() == ({ONE, TWO} if device is SPREAD else {TWO})
    assert (made.shape, made.dtype) == (want.shape, want.dtype)
    np.testing.assert_array_equal(np.asarray(made * 2), np.asarray(want * 2))


def test_in_any_namespace() -> None:
    assert x10.fft.fftfreq(4, device="CPU:1").data.devices() == {TWO}


def test_what_is_made_elsewhere_cuts_nothing() -> None:
    pending = x10.tensor([1.0]) * 2.0
    with listening() as events:
        xnp.zeros(3, device="CPU:1")
    assert not any(isinstance(e, Cut) for e in events)
    assert pending.held is None


def test_without_a_device_it_is_recorded_as_ever() -> None:
    one = x10.tensor(1.0)
    with listening() as events:
        made = xnp.zeros(3, device=None) + one
    assert made.held is None
    assert events == []


def test_the_gradient_goes_through() -> None:
    gradient = x10.grad(lambda w: (xnp.asarray(w * 2.0, device="CPU:1") ** 2).sum())(x10.tensor([1.0, 2.0]))
    assert np.asarray(gradient).tolist() == [8, 16]


def test_inside_a_traced_function_it_is_jaxs() -> None:
    ours, theirs = [str(jax.make_jaxpr(lambda x, namespace=namespace: x + namespace.zeros(4, device=SPREAD))(jnp.ones(4))) for namespace in (xnp, jnp)]
    assert ours == theirs
    assert float(jax.jit(lambda x: (x + xnp.zeros(4, device="CPU:0")).sum())(jnp.ones(4))) == 4


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="There is no such device; got CPU:99"):
        xnp.zeros(3, device="CPU:99")
    with pytest.raises(OperandError, match=r"^`zeros` refuses these arguments: .*; got device=NamedSharding"):
        xnp.zeros(3, device=SPREAD)
    with pytest.raises(UsageError, match="A sharding divides a dimension into equal parts"):
        xnp.zeros_like(x10.tensor([1.0, 2.0, 3.0]), device=SPREAD)


def test_which_functions_take_a_device() -> None:
    assert takes_device(jnp.zeros)
    assert not takes_device(jnp.sin)
    assert not takes_device(type)
    assert type(recording(jnp.zeros, "zeros")) is Placing
    assert type(recording(jnp.sin, "sin")) is Lazy
    assert type(recording(lambda x: x, "astype", like=jax.Array.astype)) is Placing
