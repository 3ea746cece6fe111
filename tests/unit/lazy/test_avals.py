"""Shape, dtype and weak type are what JAX says, and the same object for the same."""

import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from x10_jupyter.lazy.avals import aval_of, aval_of_array, explicit_sharding, is_number, is_too_big, number_aval, number_dtype, spec


def test_equal_ones_are_the_same_object() -> None:
    f32 = np.dtype("float32")
    a = aval_of((2, 3), f32)
    assert a is aval_of((2, 3), f32)
    assert len({aval_of(s, d, w) for s in ((), (2,), (3,)) for d in (f32, np.dtype("int32")) for w in (False, True)}) == 12


def test_two_threads_make_the_same_object() -> None:
    found: list[Any] = []
    start = threading.Barrier(4)

    def make() -> None:
        start.wait()
        found.append(aval_of((7, 11, 13), np.dtype("float32")))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("make", "text", "size"),
    [
        (lambda: jnp.ones((8, 128)), "f32[8,128]", 4096),
        (lambda: jnp.zeros((), "int8"), "i8[]", 1),
        (lambda: jnp.asarray(2.0), "f32[]~", 4),
        (lambda: jnp.zeros((0, 3), bool), "bool[0,3]", 0),
        (lambda: np.zeros(3, np.complex128), "c128[3]", 48),
        (lambda: jax.random.key(0), "key<fry>[]", 8),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_an_array_is_described(make: Any, text: str, size: int) -> None:
    aval = aval_of_array(make())
    assert (repr(aval), aval.size_bytes) == (text, size)


@pytest.mark.parametrize("x", [np.float64(1), np.int64(1), jnp.asarray(2)], ids=str)
def test_a_spec_keeps_dtype_and_weak_type(x: Any) -> None:
    # jax.ShapeDtypeStruct would make 32 bits of 64.
    told = spec(aval_of_array(x))
    assert (told.shape, told.dtype, told.weak_type) == ((), x.dtype, bool(getattr(x, "weak_type", False)))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (1, True), (1.0, True), (1j, True), (True, False), ("1", False), (None, False), (np.float16(1), True), (np.bool_(1), True),
        (np.str_("1"), False), (np.datetime64(1, "s"), False), (np.ones(()), False), (np.void(b"1"), False),
    ],
    ids=repr,
)  # fmt: skip
def test_is_number(x: object, expected: bool) -> None:
    assert is_number(x) is expected


@pytest.mark.parametrize(("x", "x32", "x64"), [(2**31 - 1, False, False), (2**31, True, False), (-(2**31), False, False), (-(2**31) - 1, True, False),
    (2**63, True, True), (2.0**80, False, False), (np.int64(2**40), True, False),
    (np.int64(2**31 - 1), False, False), (np.uint64(2**32), True, False)], ids=str)  # fmt: skip
def test_is_too_big(x: object, x32: bool, x64: bool) -> None:
    assert is_too_big(x) is x32
    with jax.enable_x64(True):
        assert is_too_big(x) is x64


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("number", [1, 1.0, 1j, np.float16(1), np.int64(1), np.float64(1), np.bool_(1)], ids=repr)
def test_a_number_is_what_jax_makes_of_it(number: Any, x64: bool) -> None:
    with jax.enable_x64(x64):
        made = jnp.asarray(number)
        assert number_dtype(type(number)) == made.dtype
        assert number_aval(type(number)) is aval_of_array(made)


def over(kind: AxisType, *names: Any) -> NamedSharding:
    return NamedSharding(Mesh(np.array(jax.devices()[:2]).reshape(2, 1), ("x", "y"), axis_types=(kind, kind)), PartitionSpec(*names))


@pytest.mark.parametrize(
    ("names", "shown"),
    [(("x",), "f32[4@x,2]"), ((None, "x"), "f32[4,2@x]"), ((("x", "y"), None), "f32[4@x+y,2]"), ((), "f32[4,2]"), ((None, None), "f32[4,2]")],
)
def test_over_explicit_axes_how_it_is_spread_is_part_of_it(names: tuple[Any, ...], shown: str) -> None:
    array = jax.device_put(np.ones((4, 2), np.float32), over(AxisType.Explicit, *names))
    aval = aval_of_array(array)
    assert repr(aval) == shown
    assert aval is aval_of_array(jax.device_put(array * 2, array.sharding))
    assert (aval is aval_of((4, 2), np.dtype("float32"))) is (shown == "f32[4,2]")
    if aval.sharding is not None:
        assert spec(aval) == jax.typeof(array)
        assert explicit_sharding(jax.typeof(array)) == aval.sharding


def test_over_other_axes_it_is_not() -> None:
    array = jax.device_put(np.ones((4, 2), np.float32), over(AxisType.Auto, "x"))
    assert aval_of_array(array) is aval_of((4, 2), np.dtype("float32"))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "bool", "complex64"])
def test_fractions_have_gradients(dtype: str) -> None:
    assert aval_of((), jnp.dtype(dtype)).is_smooth is (dtype not in {"int32", "bool"})
