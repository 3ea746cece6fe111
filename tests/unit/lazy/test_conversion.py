"""To reduced precision and back: the values are those of bfloat16, the dtype stays."""

import copy
import pickle
import threading
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, listening, run_cell
from x10_jupyter.base.errors import OperandError, X10Error
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import FellBack, Transferred

xnp = x10.numpy
BF16 = jnp.bfloat16
X = np.array([[0.1, -0.2, 0.3], [1.1, -2.2, 3.3]], np.float32)
ROUNDED = X.astype(BF16).astype(np.float32)


def low(x: Any = X) -> Any:
    return x10.to_reduced_precision(x)


@pytest.mark.parametrize("make", [np.asarray, jnp.asarray, x10.tensor, lambda x: x10.tensor(x) * 1], ids=["numpy", "jax", "tensor", "pending"])
def test_values_are_rounded_and_the_dtype_stays(make: Any) -> None:
    t = low(make(X))
    assert (t.dtype, t.is_reduced_precision, t.itemsize, t.nbytes) == (np.float32, True, 4, X.nbytes)
    assert np.array_equal(t, ROUNDED) and np.asarray(t).dtype == np.float32
    assert t.held.dtype == BF16
    assert low(t) is t and t.to_reduced_precision() is t


def test_full_precision_again() -> None:
    t = x10.to_full_precision(low())
    assert (t.dtype, t.is_reduced_precision) == (np.float32, False)
    assert np.array_equal(t, ROUNDED) and t.held.dtype == np.float32
    assert t.to_full_precision() is t and x10.to_full_precision(X) is X


class State(NamedTuple):
    momentum: Any
    count: Any


def test_any_pytree() -> None:
    made = {
        "w": [x10.tensor(X), X],
        "state": State(jnp.asarray(X), np.int32(3)),
        "mask": X > 0,
        "rate": 0.1,
        "name": "sgd",
        "none": None,
        "half": X.astype(np.float16),
    }
    reduced = x10.to_reduced_precision(made)
    assert [r.is_reduced_precision for r in (*reduced["w"], reduced["state"].momentum)] == [True] * 3
    assert all(reduced[k] is made[k] for k in ("mask", "rate", "name", "none", "half")) and reduced["state"].count is made["state"].count
    assert (x10.is_reduced_precision(reduced), x10.is_reduced_precision(made), x10.is_reduced_precision(0.5)) == (True, False, False)
    assert not x10.is_reduced_precision([reduced["w"], x10.tensor(X)])
    assert x10.is_reduced_precision([reduced["w"], x10.tensor(2.0), x10.tensor(3)])
    full = x10.to_full_precision(reduced)
    assert not x10.is_reduced_precision(full) and np.array_equal(full["state"].momentum, ROUNDED)


def test_what_is_shown_says_so() -> None:
    t = low()
    t.block_until_ready()
    assert repr(t) == "Tensor(f32[2,3] as bf16)"
    assert repr(t + 1) == "Tensor(f32[2,3] as bf16, pending, 1 op)"
    assert str(low(np.array([0.5, 2], np.float32))) == "[0.5 2. ]" and f"{low(np.array(0.25, np.float32)):.3f}" == "0.250"
    shown: list[str] = []
    low(np.array([0.5, 2], np.float32))._repr_pretty_(type("Printer", (), {"text": staticmethod(shown.append)}), False)
    assert shown == ["Tensor([0.5, 2. ], dtype=float32 as bf16)"]


def test_jax_gets_what_the_dtype_says() -> None:
    t = low()
    for got in (t.data, jnp.asarray(t), jnp.add(t, 0), jax.jit(lambda x: x)(t), jax.jit(lambda: t + 0)(), jax.device_put(t), jnp.from_dlpack(t)):
        assert got.dtype == np.float32 and np.array_equal(got, ROUNDED)
    assert (jnp.result_type(t), jax.eval_shape(lambda x: x, t).dtype) == (np.float32, np.float32)
    assert np.from_dlpack(t).dtype == np.float32 and t.tobytes() == ROUNDED.tobytes() and t.tolist() == ROUNDED.tolist()
    assert float(low(np.array([0.1], np.float32))[0]) == float(jnp.bfloat16(0.1))


@pytest.mark.parametrize("make", [
    copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t)), lambda t: x10.tensor(t, device="CPU:1"), lambda t: t.clone(), lambda t: t.addressable_data(0),
    lambda t: x10.tensor(list(t)), lambda t: t[:], lambda t: t.at[0].set(t[0]), lambda t: xnp.stack([*t]), lambda t: x10.lazy(lambda x: x)(t),
    lambda t: t.copy(),
], ids=["deepcopy", "pickle", "device", "clone", "addressable_data", "iterated", "[:]", "at[]", "stack", "lazy", "copy"])  # fmt: skip
def test_what_is_the_same_tensor_stays_reduced(make: Any) -> None:
    t = make(low())
    assert (t.dtype, t.is_reduced_precision) == (np.float32, True)
    assert np.array_equal(t, ROUNDED)


def test_numbers_and_whole_numbers_go_with_either() -> None:
    t = low()
    for made in (
        t * 2,
        2.5 + t,
        t / np.float32(3),
        np.float64(2) * t,
        t / np.sqrt(8),
        t * True,
        t + xnp.arange(3),
        xnp.clip(t, 0, np.float32(1)),
        t**2,
        t + x10.tensor(2.0),
    ):
        assert (made.dtype, made.is_reduced_precision) == (np.float32, True)
    assert not (t > 0).is_reduced_precision and not xnp.argmax(t).is_reduced_precision
    assert t.sum().is_reduced_precision and xnp.zeros_like(t).is_reduced_precision


def test_a_conversion_by_dtype_is_one() -> None:
    t = low()
    assert [(c.dtype, c.is_reduced_precision) for c in (t.astype(BF16), t.astype("float32"), t.astype("float16"), xnp.sum(t, dtype=BF16))] == [
        (BF16, False), (np.float32, False), (np.float16, False), (BF16, False),
    ]  # fmt: skip
    plain = x10.tensor(X.astype(BF16))
    assert not plain.is_reduced_precision and not low(plain).is_reduced_precision
    assert (plain + x10.tensor(X)).dtype == np.float32  # as in JAX
    assert (plain + t).is_reduced_precision


def test_a_function_may_accumulate_in_full() -> None:
    total = x10.lazy(lambda x: (jnp.sum(x.astype(np.float32)), x * 2))(low())
    assert [t.is_reduced_precision for t in total] == [False, True]
    assert float(total[0]) == float(np.sum(ROUNDED))


def test_inside_a_traced_function_arrays_are_what_is_held() -> None:
    def inside(x: Any) -> Any:
        return x10.to_full_precision(x) * 2, x10.to_reduced_precision(x10.to_full_precision(x)), x10.is_reduced_precision(x)

    full, cast, is_reduced = x10.lazy(inside)(low())
    assert [(t.dtype, t.is_reduced_precision) for t in (full, cast)] == [(np.float32, False), (BF16, False)]
    assert is_reduced is True
    assert jax.jit(x10.to_reduced_precision)(X).dtype == BF16


MIXED = {
    "operator": "h @ w",
    "reversed": "w.T @ h.T",
    "function": "xnp.matmul(h, w)",
    "index": "h.at[:, :2].set(w[:2])",
    "where": "xnp.where(h[:, :2] > 0, h[:, :2], w[:2])",
    "number": "xnp.clip(h[0], w[:, 0], 3.0)",
    "lazy": "x10.lazy(lambda p, x: x @ p['w'])({'w': w}, h)",
    "array": "h + np.ones(3, np.float32)",
    "list": "x10.tensor([h, w.T])",
}


@pytest.mark.parametrize("name", MIXED)
def test_mixing_is_an_error_at_its_line(name: str) -> None:
    names = {"h": low(), "w": x10.tensor(X.T), "x10": x10, "xnp": xnp, "np": np}
    said = r"^All tensors must have the same precision \(reduced or full\); got .*f32\[.* as bf16.* in `.*` at .*:2\. Pass one"
    for kind in (OperandError, TypeError, ValueError):  # what failed once is not known
        with pytest.raises(kind, match=said):
            run_cell(f"\n{MIXED[name]}\n", names)
    assert np.array_equal(names["h"] * 1, ROUNDED) and np.array_equal(names["w"] * 1, X.T)


def test_the_operands_are_named() -> None:
    with pytest.raises(OperandError, match=r"got `params\['w'\]` f32\[3,2\] and `x` f32\[2,3\] as bf16 in `model`"):

        def model(params: Any, x: Any) -> Any:
            return x @ params["w"]

        x10.lazy(model)({"w": x10.tensor(X.T)}, low())


def test_a_failed_mixture_does_not_settle_what_is_static() -> None:
    fn = x10.lazy(lambda x, y, rate: (x + y) * rate)
    with pytest.raises(OperandError):
        fn(low(), x10.tensor(X), 0.5)
    assert len(compiles(lambda: [np.asarray(fn(low(), low(), 0.5 + i)) for i in range(4)])) == 1


def test_gradients_go_through_both_conversions() -> None:
    x = x10.tensor(X)
    g = x10.grad(lambda x: (x10.to_full_precision(x10.to_reduced_precision(x) * 3) * x).sum())(x)
    want = jax.jit(jax.grad(lambda x: ((x.astype(BF16) * 3).astype(np.float32) * x).sum()))(jnp.asarray(X))
    assert not g.is_reduced_precision and np.array_equal(g, want)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_gradient_by_a_reduced_tensor_is_reduced(order: int) -> None:
    def nested(grad: Any, np_: Any) -> Any:
        fn = lambda x: np_.sum(np_.sin(x) * x)  # noqa: E731
        for _ in range(order):
            fn = (lambda f: lambda x: np_.sum(grad(f)(x)))(fn)
        return fn

    ours = x10.value_and_grad(nested(x10.grad, xnp))(low())
    want = jax.jit(jax.value_and_grad(nested(jax.grad, jnp)))(jnp.asarray(X, BF16))
    assert [(t.dtype, t.is_reduced_precision) for t in ours] == [(np.float32, True)] * 2
    assert all(np.allclose(a, np.asarray(b, np.float32), rtol=0.02, atol=0.02) for a, b in zip(ours, want, strict=True))


def test_where_shapes_depend_on_values() -> None:
    t = low()
    with listening() as events:
        picked = t[t > 0]
        g = x10.grad(lambda x: (x[x > 0] ** 2).sum())(t)
    assert picked.is_reduced_precision and np.array_equal(picked, ROUNDED[ROUNDED > 0])
    assert g.is_reduced_precision and np.array_equal(g, np.where(ROUNDED > 0, 2 * ROUNDED, 0).astype(BF16).astype(np.float32))
    assert any(isinstance(e, FellBack) for e in events)


def test_an_operand_that_comes_back_from_a_fallback_says_what_it_said() -> None:
    def second(x: Any, y: Any) -> Any:
        return y if bool(x.sum() > -100) else x

    plain = x10.tensor(X.astype(BF16))
    back = x10.lazy(second)(low(), plain)
    assert (back.dtype, back.is_reduced_precision) == (BF16, False)
    assert np.array_equal(back + plain, X.astype(BF16) * 2)


LARGE = float(np.finfo(np.float32).max)
UNFIT = {
    "numpy": lambda: np.array([[0, 1], [2, -LARGE]], np.float32),
    "jax": lambda: jnp.array([[0, 1], [2, -LARGE]], np.float32),
    "tensor": lambda: x10.tensor(np.array([[0, 1], [2, -LARGE]], np.float32)),
    "double": lambda: np.array([[0, 1], [2, -1e300]]),
}


REFUSAL = (
    r"^Reduced precision holds finite values up to 3\.3895314e\+38; got -(3\.4028235e\+38|1e\+300) at \[1, 1\] of `\['layers'\]\[0\]`, at .*py:\d+\. Scale it"
)


@pytest.mark.parametrize("name", UNFIT)
def test_a_value_that_does_not_fit_is_refused(name: str) -> None:
    given = {"layers": [UNFIT[name]()]}
    with pytest.raises(OperandError, match=REFUSAL):
        x10.to_reduced_precision(given)
    assert float(np.asarray(given["layers"][0])[1, 0]) == 2.0


@pytest.mark.parametrize("number", [1e39, -LARGE, np.float32(LARGE), np.float64(1e300)], ids=str)
def test_nor_is_a_number(number: Any) -> None:
    with pytest.raises(OperandError, match="holds finite values up to"):
        x10.to_reduced_precision([number])


def test_the_largest_value_and_infinity_fit() -> None:
    largest = float(jnp.finfo(BF16).max)
    data = np.array([largest, -largest, np.inf, -np.inf, np.nan, 0.0], np.float32)
    assert np.array_equal(low(data), data, equal_nan=True)
    assert x10.to_reduced_precision(float("inf")) == float("inf")


def test_what_a_program_computes_is_not_looked_at() -> None:
    """Whether it is there yet depends on the last barrier; what it is worth does not."""
    t = x10.tensor(np.array([1, LARGE], np.float32)) * 1
    with listening() as events:
        pending = low(t)
        x10.barrier()
        there = low(t)
    assert not any(isinstance(e, Read) for e in events)
    assert np.array_equal(pending, [1, np.inf]) and np.array_equal(there, [1, np.inf])


def test_data_is_cast_before_it_is_transferred() -> None:
    with listening() as events:
        low()
    assert [(e.aval, e.size_bytes) for e in events if isinstance(e, Transferred)] == [("f32[2,3] as bf16", 12)]


def test_a_change_of_precision_is_the_cause() -> None:
    names = {"x10": x10, "X": X, "np": np}
    run_cell("def step(x):\n    np.asarray(x * 2)\n", names)

    def steps() -> None:
        for h in (x10.tensor(X), x10.tensor(X), low(), low()):
            names["step"](h)

    first, second = causes(steps)
    assert (first.kind, second.kind, second.where, second.old, second.new) == ("first", "dtype", "x", "f32[2,3]", "f32[2,3] as bf16")
    assert second.fix == "Pass `x` through x10.to_full_precision."


def test_buffers_are_overwritten_in_reduced_precision() -> None:
    t = low(np.ones((256, 256), np.float32))

    def steps() -> None:
        nonlocal t
        for _ in range(3):
            t = t * 0.5
            x10.barrier()

    assert len(compiles(steps)) == 1
    before = t.held.unsafe_buffer_pointer()
    steps()
    assert t.held.unsafe_buffer_pointer() == before
    assert t.is_reduced_precision and float(t[0, 0]) == 0.5**6


def test_a_handed_out_copy_does_not_change() -> None:
    t = low(np.ones((256, 256), np.float32))
    given = t.data
    for _ in range(2):
        t = t * 2
        x10.barrier()
    assert float(given[0, 0]) == 1.0 and float(t[0, 0]) == 4.0


def test_threads_share_reduced_tensors() -> None:
    t = low()
    t.block_until_ready()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(np.asarray(t + t))) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(np.array_equal(f, ROUNDED * 2) for f in found) and len(found) == 4


def test_double_precision_has_a_reduced_form() -> None:
    with jax.enable_x64(True):
        t = low(X.astype(np.float64))
        assert (t.dtype, repr(t + low())) == (np.float64, "Tensor(f64[2,3] as bf16, pending, 1 op)")
        assert np.asarray(t).dtype == np.float64 and t.data.dtype == np.float64
        assert (t * np.float64(2)).is_reduced_precision
        with pytest.raises(X10Error, match="same precision"):
            _ = t + x10.tensor(X.astype(np.float64))


def test_big_endian_data() -> None:
    assert np.array_equal(low(X.astype(">f4")), ROUNDED)
