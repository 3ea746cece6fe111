"""What says one dtype and is held as another."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.lazy.avals import Aval, aval_of
from x10_jupyter.lazy.precision import REDUCED, PrecisionsDifferError, as_said, check_precisions, is_full, narrowed, number_narrowed

F32, F64, F16, I32, C64 = map(np.dtype, ("float32", "float64", "float16", "int32", "complex64"))
WEAK = aval_of((), F32, True)


def aval(dtype: Any) -> Aval:
    return aval_of((2, 3), dtype)


def reduced(dtype: Any) -> Aval:
    return aval_of((2, 3), dtype, held_as=REDUCED)


LOW = reduced(F32)


@pytest.mark.parametrize("dtype", [F32, F64])
def test_it_says_what_it_said(dtype: np.dtype) -> None:
    low = reduced(dtype)
    assert (low.dtype, low.held_as, low.is_reduced, low.size_bytes) == (dtype, REDUCED, True, 12)
    assert (is_full(aval(dtype)), is_full(low)) == (True, False)
    assert len({low, aval(dtype), aval(REDUCED), reduced(dtype)}) == 3


@pytest.mark.parametrize("dtype", [F16, REDUCED, I32, C64], ids=str)
def test_others_have_no_reduced_form(dtype: np.dtype) -> None:
    assert not is_full(aval(dtype))
    check_precisions([LOW, aval(dtype)])


def test_precisions_are_not_mixed() -> None:
    check_precisions([aval(F32), aval(F64), aval(I32)])
    check_precisions([LOW, reduced(F64), WEAK])
    for wide in (F32, F64):
        with pytest.raises(PrecisionsDifferError, match=r"All tensors must have the same precision \(reduced or full\)"):
            check_precisions([LOW, aval(I32), aval(wide)])


@pytest.mark.parametrize("weak", [False, True])
def test_arrays_are_narrowed(weak: bool) -> None:
    x = jnp.asarray(0.1) if weak else jnp.float32(0.1)
    low = narrowed(x)
    assert (low.dtype, low.weak_type, float(low)) == (REDUCED, weak, float(jnp.bfloat16(0.1)))
    assert (number_narrowed(x) is x) is weak
    for other in (jnp.float16(1), jnp.int32(1), 1.5, True):
        assert narrowed(other) is other


def test_only_what_is_held_in_reduced_precision_says_another_dtype() -> None:
    assert [as_said(*pair) for pair in ((REDUCED, F32), (REDUCED, F64), (REDUCED, REDUCED), (F32, F64), (I32, F32))] == [F32, F64, REDUCED, F32, I32]
