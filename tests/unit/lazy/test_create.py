"""Tensors of the user's data."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, listening, run_cell
from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.records.runtime_events import Transferred


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize(
    "data",
    [1, 1.5, True, 2j, [1, 2], [[1.0, 2.0], [3.0, 4.0]], (1, 2.5), [], np.arange(3), np.ones((2, 2)), np.float16(2), jnp.ones(2), np.array([[True]])],
    ids=lambda x: type(x).__name__ + str(np.shape(x)),
)
def test_it_is_what_jax_makes_of_it(data: Any, x64: bool) -> None:
    with jax.enable_x64(x64):
        got, want = x10.tensor(data), jnp.array(data) if not isinstance(data, jax.Array) else data
        assert (got.shape, got.dtype, got.weak_type) == (want.shape, want.dtype, want.weak_type)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


def test_a_dtype_converts() -> None:
    assert x10.tensor([1, 2], "float16").dtype == np.float16
    assert x10.tensor(x10.tensor([1.7]), dtype=int).dtype == np.int32
    assert x10.tensor(jnp.ones(2), dtype=jnp.bfloat16).dtype == jnp.bfloat16


def test_numpys_data_is_copied() -> None:
    data = np.zeros(1000, np.float32)
    t = x10.tensor(data)
    data[:] = 9
    assert float(t.sum()) == 0


def test_tensors_may_be_nested_in_lists() -> None:
    a, b = x10.tensor(1.0), x10.tensor(2.0) * 2
    assert np.asarray(x10.tensor([[a, b], [3.0, a]])).tolist() == [[1, 4], [3, 1]]
    assert x10.tensor(a) is a


def test_inside_a_traced_function_it_is_jaxs() -> None:
    assert jax.jit(lambda x: x10.tensor([x, x]).sum())(2.0) == 4
    assert float(x10.lazy(lambda x: x10.tensor(x) * 2)(x10.tensor(2.0))) == 4


@pytest.mark.parametrize(
    ("data", "got"), [("text", "str"), (None, "NoneType"), (object(), "object"), (["text"], "list"), ([[1], [1, 2]], "list"), ({"a": 1}, "dict"), ({1}, "set")]
)
def test_what_is_no_array_is_refused(data: Any, got: str) -> None:
    with pytest.raises(UsageError, match=rf"^A tensor is made of numbers or arrays \(.*; got {got}\.$"):
        x10.tensor(data)


def test_tensors_of_several_shapes_are_refused() -> None:
    with pytest.raises(OperandError, match=r"`tensor` refuses these operands: .* at test_create.py:\d+"):
        x10.tensor([x10.tensor([1.0]), x10.tensor([1.0, 2.0])])


@pytest.mark.parametrize("device", ["TPU:0", "CPU:7", "CPU:x", "CPU:-1"])
def test_an_unknown_device_is_refused(device: str) -> None:
    with pytest.raises(UsageError, match=rf"^There is no such device; got {device}\. Choose one of CPU:0"):
        x10.tensor(1.0, device=device)


def test_what_is_no_device_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^A device is a jax\.Device, a jax\.sharding\.Sharding or a name; got 5\."):
        x10.tensor(1.0, device=5)


@pytest.mark.parametrize("device", ["CPU:0", "cpu", None, jax.devices()[0], jax.sharding.SingleDeviceSharding(jax.devices()[0])], ids=str)
def test_a_known_device_is_taken(device: Any) -> None:
    assert x10.tensor([1.0], device=device).data.devices() == {jax.devices()[0]}


def test_the_transfer_is_told_with_its_line() -> None:
    names: dict[str, Any] = {"x10": x10, "np": np, "jnp": jnp}
    with listening() as events:
        run_cell("\nt = x10.tensor(np.ones((8, 2), np.float32))\nu = x10.tensor(jnp.ones(3))\n", names)
    [event] = [e for e in events if isinstance(e, Transferred)]
    assert (event.direction, event.aval, event.size_bytes, event.site and event.site.line) == ("to_device", "f32[8,2]", 64, 2)


def test_making_one_compiles_no_program() -> None:
    assert compiles(lambda: x10.tensor(np.ones((3, 7, 11), np.float32))) == []
