"""Narrow storage: everything says what it would say, is held in fewer bits, and comes back as what it says."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles
from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.narrow import check_data, check_whole, in_full, in_narrow
from x10_jupyter.lazy.precision import REDUCED, PrecisionsDifferError

xnp = x10.numpy
F = np.array([0.1, 1.1, 2.1], np.float32)
N = np.arange(3)
LARGE = 1 << 40


@pytest.fixture
def bf16() -> Iterator[None]:
    with x10.config(XLA_USE_BF16=True):
        yield


@pytest.fixture
def x64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture
def long32(x64: None) -> Iterator[None]:
    with x10.config(XLA_USE_32BIT_LONG=True):
        yield


def kinds(t: Any) -> tuple[str, str, str]:
    """What a tensor says, how it is held, and as what it is read."""
    t.block_until_ready()
    return t.dtype.name, t.held.dtype.name, np.asarray(t).dtype.name


FLOATS: dict[str, Callable[[], Any]] = {
    "data": lambda: x10.tensor(F),
    "list": lambda: x10.tensor([0.5, 1.5]),
    "number": lambda: x10.tensor(2.5),
    "JAX's": lambda: x10.tensor(jnp.ones(2)),
    "on a device": lambda: x10.tensor(F, device="CPU:0"),
    "of a dtype": lambda: x10.tensor(N, np.float32),
    "of full tensors": lambda: x10.tensor([x10.tensor(F)[0], 1.5]),
    "operator": lambda: x10.tensor(F) + 1,
    "NumPy's number": lambda: x10.tensor(F) * np.float32(3),
    "NumPy's array": lambda: x10.tensor(F) * F,
    "JAX's array": lambda: x10.tensor(F) * jnp.asarray(F),
    "zeros": lambda: xnp.zeros(3),
    "linspace": lambda: xnp.linspace(0, 1, 5),
    "asarray": lambda: xnp.asarray(F),
    "full": lambda: xnp.full((2,), 0.3),
    "cast": lambda: x10.tensor(N).astype(np.float32),
    "division": lambda: x10.tensor(N) / 2,
    "random": lambda: x10.random.normal(x10.random.key(0), (3,)),
    "gradient": lambda: x10.grad(lambda v: (v * v).sum())(x10.tensor(F)),
    "linear algebra": lambda: xnp.linalg.inv(xnp.eye(3) * 2),
    "fallback": lambda: x10.tensor(F)[x10.tensor(F) > 1],
    "many numbers": lambda: xnp.array([0.5] * 40),
}  # fmt: skip


@pytest.mark.parametrize("make", FLOATS.values(), ids=FLOATS.keys())
@pytest.mark.usefixtures("bf16")
def test_floats_say_float32_and_are_held_as_bfloat16(make: Callable[[], Any]) -> None:
    t = make()
    assert kinds(t) == ("float32", "bfloat16", "float32")
    assert t.is_reduced_precision
    assert t.data.dtype == jnp.float32


@pytest.mark.usefixtures("bf16", "x64")
def test_so_do_those_that_say_float64() -> None:
    assert kinds(x10.tensor(F.astype(np.float64)) * 2.0) == ("float64", "bfloat16", "float64")
    assert kinds(xnp.ones(2)) == ("float64", "bfloat16", "float64")


@pytest.mark.usefixtures("bf16")
def test_what_has_no_reduced_form_stays_as_it_is() -> None:
    t = x10.tensor(F)
    assert kinds(t.astype("float16"))[:2] == ("float16", "float16")
    assert kinds(t.astype(REDUCED))[:2] == ("bfloat16", "bfloat16")
    assert kinds(xnp.fft.fft(t))[:2] == ("complex64", "complex64")
    assert kinds(x10.tensor(N))[:2] == ("int32", "int32")
    assert kinds(t > 1)[:2] == ("bool", "bool")


@pytest.mark.usefixtures("bf16")
def test_values_are_those_of_bfloat16() -> None:
    got = np.asarray(x10.tensor(F) * 3 + 1)
    want = jnp.asarray(F).astype(REDUCED) * 3 + 1
    np.testing.assert_array_equal(got, np.asarray(want.astype(jnp.float32)))


@pytest.mark.usefixtures("bf16")
def test_what_bfloat16_has_not_is_computed_in_full() -> None:
    m = np.array([[4, 1], [1, 3]], np.float32)
    got = np.asarray(xnp.linalg.inv(x10.tensor(m)))
    np.testing.assert_array_equal(got, np.asarray(jnp.linalg.inv(m).astype(REDUCED).astype(jnp.float32)))
    slope = x10.grad(lambda a: xnp.linalg.inv(a).sum())(x10.tensor(m))
    np.testing.assert_allclose(np.asarray(slope), jax.grad(lambda a: jnp.linalg.inv(a).sum())(m), rtol=0.02)


@pytest.mark.usefixtures("bf16")
def test_a_function_that_needs_values_runs_and_has_a_gradient() -> None:
    fn = x10.lazy(lambda x: x * 2 if x.sum() > 1 else x)
    assert np.asarray(fn(x10.tensor(F))).tolist() == pytest.approx((F * 2).tolist(), rel=0.01)
    slope = x10.grad(lambda v: fn(v).sum())(x10.tensor(F))
    assert np.asarray(slope).tolist() == [2, 2, 2]
    assert kinds(slope)[:2] == ("float32", "bfloat16")


@pytest.mark.usefixtures("bf16")
def test_a_float_that_is_too_large_is_refused_on_entry() -> None:
    with pytest.raises(OperandError, match=r"Floats are held as bfloat16 while XLA_USE_BF16 is on, up to 3.38\d+e\+38; got 3\.\d*e\+38 at \[1\]"):
        x10.tensor(np.array([1, 3.4e38], np.float32))
    assert np.isinf(float(x10.tensor(np.array([np.inf], np.float32))[0]))


def test_switched_on_full_tensors_become_reduced_where_they_enter_and_switched_off_they_do_not_mix() -> None:
    full = x10.tensor(F)
    with x10.config(XLA_USE_BF16=True):
        reduced = x10.tensor(F)
        assert kinds(full * reduced)[:2] == kinds(full + 1)[:2] == ("float32", "bfloat16")
        assert kinds(x10.tensor(full))[:2] == ("float32", "bfloat16")
        assert kinds(full)[:2] == ("float32", "float32")
    with pytest.raises(PrecisionsDifferError, match="same precision"):
        _ = full * reduced
    assert kinds(full * x10.to_full_precision(reduced))[:2] == ("float32", "float32")


def test_a_switch_is_the_cause_of_a_compile_and_going_back_compiles_nothing() -> None:
    def step() -> None:
        y = x10.tensor(F) * 3 + 2
        x10.barrier()
        np.asarray(y)

    assert len(compiles(step)) == 1
    with x10.config(XLA_USE_BF16=True):
        [cause] = causes(step)
        assert compiles(step) == []
    assert (cause.kind, cause.old, cause.new) in {("dtype", "f32[3]", "f32[3] as bf16"), ("config", "False", "True")}
    assert compiles(step) == []


def test_what_is_pending_is_computed_under_the_switches_it_was_recorded_under() -> None:
    y = x10.tensor(F) * 3
    with x10.config(XLA_USE_BF16=True):
        z = y + 1
        assert np.asarray(y).tolist() == (F * np.float32(3)).tolist()
        assert kinds(z)[:2] == ("float32", "bfloat16")


LONGS: dict[str, Callable[[], Any]] = {
    "data": lambda: x10.tensor(N),
    "list": lambda: x10.tensor([1, 2]),
    "number": lambda: x10.tensor(5),
    "JAX's": lambda: x10.tensor(jnp.arange(3)),
    "operator": lambda: x10.tensor(N) + 1,
    "NumPy's number": lambda: x10.tensor(N) + np.int64(3),
    "a shorter number": lambda: x10.tensor(N) + np.int32(3),
    "NumPy's array": lambda: x10.tensor(N) + N,
    "JAX's array": lambda: x10.tensor(N) + jnp.arange(3),
    "sum": lambda: x10.tensor(N).sum(),
    "sum of shorter ones": lambda: x10.tensor(N.astype(np.int32)).sum(),
    "arange": lambda: xnp.arange(4),
    "cast": lambda: x10.tensor(F).astype(np.int64),
    "argmax": lambda: xnp.argmax(x10.tensor(F)),
    "fallback": lambda: xnp.nonzero(x10.tensor(N))[0],
    "mask": lambda: x10.tensor(N)[x10.tensor(N) > 0],
    "shift": lambda: x10.tensor(N) << 2,
    "product": lambda: x10.tensor(N) @ x10.tensor(N),
}  # fmt: skip


@pytest.mark.parametrize("make", LONGS.values(), ids=LONGS.keys())
@pytest.mark.usefixtures("long32")
def test_whole_numbers_say_int64_and_are_held_as_int32(make: Callable[[], Any]) -> None:
    t = make()
    assert kinds(t) == ("int64", "int32", "int64")
    assert not t.is_reduced_precision
    with x10.config(XLA_USE_32BIT_LONG=False):
        wide = make()
    assert kinds(wide)[:2] == ("int64", "int64")
    np.testing.assert_array_equal(np.asarray(t), np.asarray(wide))


@pytest.mark.usefixtures("long32")
def test_unsigned_ones_too_and_no_others() -> None:
    t = x10.tensor(N)
    assert kinds(t.astype(np.uint64)) == ("uint64", "uint32", "uint64")
    assert kinds(x10.tensor(np.array([2**32 - 1], np.uint64)))[:2] == ("uint64", "uint32")
    assert int(x10.tensor(np.array([2**32 - 1], np.uint64))[0]) == 2**32 - 1
    assert kinds(t.astype(np.int32))[:2] == ("int32", "int32")
    assert kinds(t / 2)[:2] == ("float64", "float64")
    assert kinds(x10.tensor(F) * t)[:2] == kinds(jnp.asarray(F) * x10.tensor(N))[:2]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: x10.tensor(np.array([1, LARGE])), lambda n: x10.tensor(LARGE), lambda n: x10.tensor([1, -LARGE]),
        lambda n: x10.tensor(jnp.array([LARGE])), lambda n: n + LARGE, lambda n: n + np.int64(LARGE), lambda n: n + np.array([LARGE] * 3),
        lambda n: n + jnp.array([LARGE] * 3), lambda n: xnp.full((2,), LARGE), lambda n: xnp.arange(LARGE, LARGE + 3), lambda n: xnp.asarray(LARGE),
        lambda n: x10.tensor(np.array([-1, 1 << 32], np.int64).astype(np.uint64)),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("long32")
def test_one_that_does_not_fit_is_refused_on_entry(make: Callable[[Any], Any]) -> None:
    n = x10.tensor(N)
    with pytest.raises(OperandError, match=r"^Whole numbers are held in 32 bits while XLA_USE_32BIT_LONG is on; got -?\d+( at \[\d\])?\. Make it a float"):
        make(n)


@pytest.mark.usefixtures("long32")
def test_switched_off_narrow_ones_become_wide_where_they_enter() -> None:
    narrow = x10.tensor(N)
    with x10.config(XLA_USE_32BIT_LONG=False):
        assert kinds(narrow + 1)[:2] == kinds(narrow + x10.tensor(N))[:2] == ("int64", "int64")
        assert int((narrow + (1 << 40))[0]) == 1 << 40


def test_without_64_bit_types_nothing_changes() -> None:
    before = np.asarray(x10.tensor(N) + 1)
    with x10.config(XLA_USE_32BIT_LONG=True):
        t = x10.tensor(N) + 1
        assert kinds(t) == ("int32", "int32", "int32")
    np.testing.assert_array_equal(np.asarray(t), before)


@pytest.mark.usefixtures("long32")
def test_what_is_shown_says_how_it_is_held() -> None:
    assert repr(x10.tensor(N).aval) == "i64[3] as i32"


@pytest.mark.usefixtures("long32", "bf16")
def test_both_at_once() -> None:
    assert kinds(x10.tensor(N) / 2)[:2] == ("float64", "bfloat16")
    assert kinds((x10.tensor(F) * 2).astype(np.int64))[:2] == ("int64", "int32")


def test_functions_in_narrow_and_in_full() -> None:
    aval = x10.tensor(F).aval
    holds = {np.dtype(np.float32): REDUCED}
    seen: list[Any] = []

    def fn(x: Any, number: Any) -> Any:
        seen.append(x.dtype)
        return {"y": x * number, "shape": x.shape}

    for wrap, dtype in ((in_narrow, REDUCED), (in_full, np.float32)):
        result = wrap(fn, (aval,), holds, None)(jnp.asarray(F), jnp.float32(2))
        assert (seen.pop(), result["y"].dtype, result["shape"]) == (dtype, REDUCED, (3,))


@pytest.mark.usefixtures("long32")
def test_checks_let_pass_what_fits() -> None:
    for x in (0, -(1 << 31), (1 << 31) - 1, np.int64(7), np.uint64((1 << 32) - 1), 1.5e300, np.float64(1e300), True):
        check_whole(x)
    for data in (np.array([], np.int64), np.array([1 << 31, (1 << 32) - 1], np.uint64), np.array([np.nan, np.inf, 1e38])):
        check_data(data)
