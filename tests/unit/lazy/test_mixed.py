"""Automatic mixed precision: weights full, inputs and activations reduced, gradients full."""

import threading
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, listening, run_cell
from tracebacks import frames_of_ours
from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Compiled, Executed, FellBack, Rejoined

xnp = x10.numpy
BF16 = jnp.bfloat16
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(16, 8)).astype(np.float32), RNG.normal(size=(16, 4)).astype(np.float32)
PARAMS = {"w": RNG.normal(size=(8, 4)).astype(np.float32), "b": RNG.normal(size=4).astype(np.float32)}


def tensors(tree: Any) -> Any:
    return jax.tree.map(x10.tensor, tree)


def model(np_: Any, cast: Any, params: Any, x: Any, y: Any) -> Any:
    return np_.mean((np_.tanh(cast(x) @ cast(params["w"]) + cast(params["b"])) - cast(y)) ** 2)


def loss(params: Any, x: Any, y: Any) -> Any:
    return model(xnp, lambda x: x, params, x, y)


@jax.jit
def written_out(params: Any, x: Any, y: Any) -> Any:
    """The same in JAX, with the casts."""
    return jax.value_and_grad(lambda p: model(jnp, lambda x: x.astype(BF16), p, x, y))(params)


def test_weights_stay_full_and_activations_become_reduced() -> None:
    w, x = tensors((PARAMS["w"], X))
    with x10.mixed_precision("bf16"):
        made = [x @ w, xnp.tanh(x), x + 1, x10.lazy(lambda x: x * 2)(x), x[0], x.sum(), xnp.stack([x, x])]
        fresh = xnp.zeros(3), x10.random.normal(x10.random.key(0), (2,)), xnp.arange(3), x > 0
    assert all((t.dtype, t.is_reduced_precision) == (np.float32, True) for t in made)
    assert not any(t.is_reduced_precision for t in (*fresh, w, x, x @ w))
    assert np.array_equal(made[0], np.asarray(jnp.asarray(X, BF16) @ jnp.asarray(PARAMS["w"], BF16), np.float32))


@pytest.mark.parametrize("inside", ["the loss", "all of it"])
def test_gradients_are_those_of_the_casts_written_out(inside: str) -> None:
    params, x, y = tensors((PARAMS, X, Y))
    if inside == "the loss":
        value, grads = x10.value_and_grad(x10.mixed_precision("bf16")(loss))(params, x, y)
    else:
        with x10.mixed_precision("bf16"):
            value, grads = x10.value_and_grad(loss)(params, x, y)
    expected = written_out(PARAMS, X, Y)
    assert value.is_reduced_precision and float(value) == float(expected[0])
    for name, g in grads.items():
        assert (g.dtype, g.is_reduced_precision) == (np.float32, False)
        assert np.allclose(g, expected[1][name], rtol=1e-2, atol=1e-3)
    new = params["w"] - 0.1 * grads["w"]
    assert not new.is_reduced_precision


@pytest.mark.parametrize("order", [2, 3])
def test_higher_orders(order: int) -> None:
    def nested(grad: Any, np_: Any, cast: Any) -> Any:
        fn = lambda x: np_.sum(np_.sin(cast(x)) * cast(x))  # noqa: E731
        for _ in range(order - 1):
            fn = (lambda f: lambda x: np_.sum(cast(grad(f)(x)) * cast(x)))(fn)
        return fn

    with x10.mixed_precision("bf16"):
        ours = x10.grad(nested(x10.grad, xnp, lambda x: x))(x10.tensor(X[0]))
    want = jax.jit(jax.grad(nested(jax.grad, jnp, lambda x: x.astype(BF16))))(X[0])
    assert not ours.is_reduced_precision
    assert np.allclose(ours, want, rtol=0.05, atol=0.05)


def test_a_weight_used_twice_gets_the_sum_in_full() -> None:
    w = x10.tensor(np.array([1, 2], np.float32))
    with x10.mixed_precision("bf16"):
        g = x10.grad(lambda w: (w * 1 + w * 2**-9).sum())(w)
    assert np.array_equal(g, np.array([1 + 2**-9] * 2, np.float32))  # in bfloat16 it would be 1


def test_it_ends_with_its_block() -> None:
    x = x10.tensor(X)
    mode = x10.mixed_precision("bf16")
    for _ in range(2):
        with pytest.raises(KeyError), mode:
            assert (x * 1).is_reduced_precision
            with x10.mixed_precision(None):
                assert not (x * 1).is_reduced_precision
                with mode:
                    assert (x * 1).is_reduced_precision
            assert (x * 1).is_reduced_precision
            raise KeyError
        assert not (x * 1).is_reduced_precision
    assert not LOCAL.trace.reduces and not LOCAL.trace.special


def test_a_decorated_function() -> None:
    @x10.mixed_precision("bf16")
    def double(x: Any, *, depth: int = 0) -> Any:
        """Twice as much."""
        return double(x, depth=depth - 1) if depth else x * 2

    assert double(x10.tensor(X), depth=3).is_reduced_precision and double.__doc__ == "Twice as much."
    assert not (x10.tensor(X) * 2).is_reduced_precision


def test_what_needs_full_precision_computes_in_it() -> None:
    m = x10.tensor(4 * np.eye(3, dtype=np.float32))
    with x10.mixed_precision("bf16"):
        h = m * 2
        with x10.mixed_precision(None):
            inverse = x10.linalg.inv(x10.to_full_precision(h))
        assert not inverse.is_reduced_precision and (inverse * 8).is_reduced_precision
    assert np.array_equal(inverse, np.eye(3) / 8)


SAID = "(bfloat16 has no `lu`|lu does not accept dtype bfloat16 .*)"  # on jax 0.10.2, and on 0.12.0.1
REFUSAL = rf"refuses these operands: {SAID}; got .*\(f32\[3,3\].*\) at .*test_mixed\.py:\d+\. Compute it on x10\.to_full_precision of"


def test_what_is_not_defined_for_it_says_so() -> None:
    m = x10.tensor(4 * np.eye(3, dtype=np.float32))
    for inverse in (x10.linalg.inv, x10.lazy(lambda m: jax.lax.cond(True, jnp.linalg.inv, lambda x: x, m))):
        with pytest.raises(OperandError, match=REFUSAL), x10.mixed_precision("bf16"):
            inverse(m)
    with pytest.raises(OperandError, match=REFUSAL):
        x10.linalg.inv(x10.to_reduced_precision(m))
    assert np.array_equal(m * 1, 4 * np.eye(3))


def test_reduced_tensors_mix_with_full_ones_inside_only() -> None:
    h, w = x10.to_reduced_precision(X), x10.tensor(PARAMS["w"])
    with x10.mixed_precision("bf16"):
        assert (h @ w).is_reduced_precision
    with pytest.raises(OperandError, match="All tensors must have the same precision"):
        _ = h @ w
    with x10.mixed_precision("bf16"), x10.mixed_precision(None), pytest.raises(OperandError, match="All tensors must have the same precision"):
        _ = h @ w


def test_each_thread_has_its_own() -> None:
    found: list[bool] = []
    x = x10.tensor(X)
    with x10.mixed_precision("bf16"):
        thread = threading.Thread(target=lambda: found.append((x * 1).is_reduced_precision))
        thread.start()
        thread.join()
        found.append((x * 1).is_reduced_precision)
    assert found == [False, True]


def test_one_object_in_two_threads() -> None:
    mode, x = x10.mixed_precision("bf16"), x10.tensor(X)
    entered, left = threading.Event(), threading.Event()
    found: list[bool] = []

    def other() -> None:
        with mode:
            entered.set()
            left.wait(10)
            found.append((x * 1).is_reduced_precision)
        found.append((x * 1).is_reduced_precision)

    thread = threading.Thread(target=other)
    with mode:
        thread.start()
        assert entered.wait(10)
    assert not (x * 1).is_reduced_precision
    left.set()
    thread.join()
    assert found == [True, False]


def test_where_shapes_depend_on_values() -> None:
    x = x10.tensor(X)
    with listening() as events, x10.mixed_precision("bf16"):
        picked = x[x > 0]
        g = x10.grad(lambda x: (x[x > 0] ** 2).sum())(x)
    assert picked.is_reduced_precision and not g.is_reduced_precision
    low = X.astype(BF16).astype(np.float32)
    assert np.array_equal(picked, low[low > 0]) and np.array_equal(g, np.where(low > 0, 2 * low, 0).astype(BF16).astype(np.float32))
    assert any(isinstance(e, FellBack) for e in events)


def step(params: Any, x: Any, y: Any, mode: Any) -> Any:
    with x10.mixed_precision(mode):
        _, grads = x10.value_and_grad(loss)(params, x, y)
    params = {name: p - 0.1 * grads[name] for name, p in params.items()}
    x10.barrier()
    return params


def test_steps_are_one_program() -> None:
    params, x, y = tensors((PARAMS, X, Y))
    with listening() as events:
        for _ in range(6):
            params = step(params, x, y, "bf16")
    kinds = [type(e) for e in events]
    assert [kinds.count(kind) for kind in (Compiled, Executed, Rejoined, Read, FellBack)] == [1, 6, 0, 0, 0]
    assert not x10.is_reduced_precision(params)


def test_switching_it_on_is_a_cause() -> None:
    params, x, y = tensors((PARAMS, X, Y))

    def steps() -> None:
        for mode in (None, None, "bf16", "bf16", None):
            step(params, x, y, mode)

    first, second = causes(steps)
    assert (first.kind, second.kind, second.where, second.old, second.new) == ("first", "dtype", "the result of `matmul`", "f32[16,4]", "f32[16,4] as bf16")
    assert "mixed_precision" in second.fix
    assert second.site is not None and second.site.line == model.__code__.co_firstlineno + 1


def test_changing_numbers_compile_nothing() -> None:
    x = x10.tensor(X)
    scale = x10.lazy(lambda x, rate: x * rate)

    def steps() -> None:
        for i in range(5):
            with x10.mixed_precision("bf16"):
                _ = scale(x, 0.5 + i), scale(x, np.float32(i))
            x10.barrier()

    compiles(steps)
    assert not compiles(steps)


def test_what_cannot_be_seen_into_is_not_compiled_each_time() -> None:
    class Opaque:
        __slots__ = ("factor",)

    opaque = Opaque()
    opaque.factor = 2
    h, w = x10.to_reduced_precision(X), x10.tensor(PARAMS["w"])
    fn = x10.lazy(lambda h, w: h @ w * opaque.factor)

    def steps() -> None:
        for _ in range(3):
            with x10.mixed_precision("bf16"):
                y = fn(h, w)
            x10.barrier()
            assert y.is_reduced_precision

    assert len(compiles(steps)) == 1


@pytest.mark.parametrize("dtype", ["bf16", "bfloat16", jnp.bfloat16, jnp.dtype("bfloat16")], ids=str)
def test_names_of_the_dtype(dtype: Any) -> None:
    with x10.mixed_precision(dtype):
        assert (x10.tensor(X) * 1).is_reduced_precision


@pytest.mark.parametrize("dtype", ["f16", "f32", np.float16, float, 16, True, ""], ids=str)
def test_another_dtype_is_refused(dtype: Any) -> None:
    with pytest.raises(
        UsageError, match=r'^Mixed precision knows "bf16", and None to switch it off inside; got .*Write x10\.mixed_precision\("bf16"\)'
    ) as caught:
        x10.mixed_precision(dtype)
    assert ("losses have to be scaled" in str(caught.value)) is (dtype in {"f16", np.float16})


def test_where_nothing_is_recorded_it_is_refused() -> None:
    for trace in (lambda fn: jax.jit(fn)(X), lambda fn: x10.lazy(fn)(x10.tensor(X)), lambda fn: jax.eval_shape(fn, X)):
        with pytest.raises(UsageError, match="Inside a function that JAX traces nothing is recorded") as caught:
            trace(x10.mixed_precision("bf16")(lambda x: x * 2))
        assert "test_mixed.py" in str(caught.value)
    assert not LOCAL.trace.reduces


def test_what_runs_later_cannot_be_decorated() -> None:
    async def later() -> None: ...

    def one_by_one() -> Any:
        yield 1

    for fn in (later, one_by_one):
        with pytest.raises(UsageError, match="runs after its call has returned"):
            x10.mixed_precision("bf16")(fn)


def test_an_interrupt_leaves_it_as_it_was() -> None:
    def fn(x: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        x10.value_and_grad(x10.mixed_precision("bf16")(fn))(x10.tensor(X))
    assert not LOCAL.trace.reduces and not (x10.tensor(X) * 1).is_reduced_precision


def test_an_edited_cell_under_it() -> None:
    names: dict[str, Any] = {"x10": x10, "x": x10.tensor(X)}
    for factor in (2, 3):
        run_cell(f"with x10.mixed_precision('bf16'):\n    y = x * {factor}\nx10.barrier()\n", names)
        assert np.array_equal(names["y"], np.asarray(jnp.asarray(X, BF16) * factor, np.float32))


def test_the_traceback_of_a_decorated_function_has_the_users_lines_and_none_of_ours() -> None:
    @x10.mixed_precision("bf16")
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        broken()
    assert frames_of_ours(caught.value) == []
