"""Python's operators of tensors mean what they mean for a jax.Array."""

import operator
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.arithmetic import BINARY, COMPARISONS, UNARY


def two(*, dtype: Any = np.float32) -> x10.Tensor:
    return x10.tensor(np.array([2, 3], dtype))


OTHERS = [3, 2, True, np.int32(3), np.array([3, 1], np.int32)]
PAIRS = [(name, other) for name in BINARY for other in OTHERS if name != "matmul" or isinstance(other, np.ndarray)]  # scalars have no matmul


@pytest.mark.parametrize(("name", "other"), PAIRS, ids=repr)
def test_binary_operators_are_those_of_jax(name: str, other: Any) -> None:
    fn, mine, theirs = getattr(operator, name), two(dtype=np.int32), jnp.array([2, 3], np.int32)
    for swapped in (False, True):
        got, want = (fn(other, mine), fn(other, theirs)) if swapped else (fn(mine, other), fn(theirs, other))
        assert (np.asarray(got).tolist(), got.dtype, got.weak_type) == (np.asarray(want).tolist(), want.dtype, want.weak_type)


@pytest.mark.parametrize("name", [n for n in BINARY if n not in {"and_", "or_", "xor", "lshift", "rshift", "matmul"}] + list(COMPARISONS))
@pytest.mark.parametrize("other", [2.5, -0.0, 3, np.float32(2), jnp.float16(2), jnp.asarray(2.0), 2**40], ids=repr)
def test_numbers_keep_jaxs_promotion(name: str, other: Any) -> None:
    fn = getattr(operator, name)
    for kind in (np.float16, np.float32, np.int32):
        mine, theirs = x10.tensor(np.array([2, 3], kind)), jnp.array([2, 3], kind)
        try:
            want = fn(theirs, other)
        except OverflowError:
            with pytest.raises(OverflowError, match=r"too large|[Oo]verflow"):
                fn(mine, other)
            continue
        got = fn(mine, other)
        assert (got.dtype, got.weak_type) == (want.dtype, want.weak_type)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(name: str) -> None:
    fn = getattr(operator, name)
    assert np.asarray(fn(two(dtype=np.int32))).tolist() == fn(jnp.array([2, 3])).tolist()


def test_the_rest_of_the_operators() -> None:
    t = two()
    q, r = t.__divmod__(2)
    assert (np.asarray(q).tolist(), np.asarray(r).tolist()) == ([1, 1], [0, 1])
    assert np.asarray(t.__rdivmod__(7)[0]).tolist() == [3, 2]
    assert np.asarray((t * 1.26).__round__(1)).tolist() == pytest.approx([2.5, 3.8])
    t += 1
    t *= t
    assert np.asarray(t).tolist() == [9, 16]


def test_numpy_and_jax_arrays_on_the_left_give_way() -> None:
    for left in (np.array([1, 1], np.float32), jnp.ones(2), np.float32(1)):
        got = left + two()
        assert isinstance(got, x10.Tensor)
        assert np.asarray(got).tolist() == [3, 4]
