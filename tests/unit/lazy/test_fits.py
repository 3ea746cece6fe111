"""A number that does not fit the dtype it is converted to is refused as JAX refuses it, not cut to size."""

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.fits import all_fit, conversions, is_in
from x10_jupyter.lazy.op import Call


@pytest.mark.parametrize(
    ("dtype", "fitting", "others"),
    [
        ("int8", [-128, 127, 1.9, True, -0.5], [128, -129, 200.0, math.nan, math.inf, 1j]),
        ("uint8", [0, 255, 255.5], [-1, 256, -0.5, -math.inf, 1 + 0j]),
        ("float16", [1, 2**40, 1e300, math.nan], [1j]),
        ("complex64", [1, math.inf, 1j], []),
        ("bool", [0, 7, 0.5, False], [2j]),
    ],
)
def test_is_in(dtype: str, fitting: list[complex], others: list[complex]) -> None:
    assert [n for n in fitting if not is_in(np.dtype(dtype), n)] == []
    assert [n for n in others if is_in(np.dtype(dtype), n)] == []


def test_what_is_converted_is_seen_once() -> None:
    times = 0

    def made(a: Any, b: Any, c: Any) -> Any:
        nonlocal times
        times += 1
        return jnp.asarray(a, "int8") + jnp.asarray(c, "uint8"), b * 2

    call = Call("made", made, key=made, numbers=(int, float, int))
    assert conversions(call, current()) == ((0, np.dtype("int8")), (2, np.dtype("uint8")))
    assert all_fit(call, (1, 1e300, 2), current())
    assert not all_fit(call, (1, 0.5, -2), current())
    assert times == 1


def test_a_call_that_is_refused_converts_nothing() -> None:
    assert conversions(Call("odd", lambda a: jnp.zeros(3) + jnp.ones(a), key="odd", numbers=(int,)), current()) == ()


MAKING: list[Callable[[Any, Any], Any]] = [
    lambda xp, n: xp.asarray(n, dtype=xp.uint8),
    lambda xp, n: xp.array([[n, 1]], xp.int8),
    lambda xp, n: xp.int32(n),
    lambda xp, n: xp.full((2,), n, dtype=xp.int16),
]


@pytest.mark.parametrize("make", MAKING, ids=["asarray", "array", "dtype", "full"])
@pytest.mark.parametrize("number", [7, 300, -1, 2**40, 1.5, -1e20, math.inf, math.nan, 2j])
@pytest.mark.filterwarnings("ignore")  # JAX's own, about the imaginary part
def test_a_number_is_taken_as_jax_takes_it(make: Callable[[Any, Any], Any], number: complex) -> None:
    make(x10.numpy, 1.0 if isinstance(number, float) else 1)  # known as a parameter before
    try:
        expected = make(jnp, number)
    except (OverflowError, TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            make(x10.numpy, number)
    else:
        made = make(x10.numpy, number)
        assert (made.dtype, np.asarray(made).tolist()) == (expected.dtype, np.asarray(expected).tolist())


@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_a_complex_number_that_would_lose_its_imaginary_part_beside_tensors() -> None:
    xp, x = x10.numpy, x10.tensor(np.ones(3, np.float32))
    for _ in range(2):
        with pytest.raises(TypeError, match="real numbers"):
            xp.full_like(x, 1j)
    assert np.asarray(xp.full_like(x, 1j, dtype="complex64")).tolist() == [1j] * 3
    assert np.asarray(x + 1j).tolist() == [1 + 1j] * 3
