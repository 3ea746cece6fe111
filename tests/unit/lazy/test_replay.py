"""Gradients on a known path: the same as the first time, whatever happens on the way."""

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, forget, listening
from x10_jupyter.lazy.autodiff import Entry
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.prune import prune
from x10_jupyter.records.runtime_events import Traced

W = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
X = np.linspace(0.1, 2, 6, dtype=np.float32).reshape(2, 3)
Case = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget()


def unused(xp: Any, w: Any, x: Any, i: int) -> Any:
    """One input has no part in the loss."""
    return (x * 2).sum()


def shared(xp: Any, w: Any, x: Any, i: int) -> Any:
    """One value is used twice."""
    y = x @ w
    return (y * y + xp.tanh(y)).sum()


def residuals(xp: Any, w: Any, x: Any, i: int) -> Any:
    """What going back needs is neither an input nor a result."""
    return xp.mean(xp.where(x @ w > 0, xp.exp(x @ w), xp.log1p(xp.exp(x @ w))))


def numbers(xp: Any, w: Any, x: Any, i: int) -> Any:
    """A number that is another each time."""
    return ((x @ w) * (0.5 + i)).sum() * 3.0


def indexed(xp: Any, w: Any, x: Any, i: int) -> Any:
    """Static arguments."""
    return xp.sum((x @ w)[:, 1:3], axis=0).max() + w.reshape(12)[3]


def several(xp: Any, w: Any, x: Any, i: int) -> Any:
    """An operation with two results, one of which is not used."""
    a, _ = xp.split(x @ w, 2, axis=1)
    return xp.prod(a)


def steps_apart(xp: Any, w: Any, x: Any, i: int) -> Any:
    """No gradient goes through one part."""
    stop = x10.lax.stop_gradient if xp is x10.numpy else jax.lax.stop_gradient
    return (stop(x @ w) * (x @ w)).sum()


def other_way(xp: Any, w: Any, x: Any, i: int) -> Any:
    """The path parts at another place each time."""
    y = x @ w
    for k in range(4):
        y = xp.sin(y) if k == i else y * 1.5
    return y.sum()


def branches(xp: Any, w: Any, x: Any, i: int) -> Any:
    """A read in the middle, and what follows depends on it."""
    y = x @ w
    z = y * y if float(y.sum()) + i > 1 else xp.cos(y)
    return (z + y).sum()


def reads_every_time(xp: Any, w: Any, x: Any, i: int) -> Any:
    """A read in the middle that changes nothing."""
    y = xp.exp(x @ w * 0.1)
    float(y.sum())
    return (y * w.sum()).sum()


def constant(xp: Any, w: Any, x: Any, i: int) -> Any:
    """The loss does not depend on the inputs."""
    return xp.ones(3).sum()


def branches_of_numpy(xp: Any, w: Any, x: Any, i: int) -> Any:
    """As `branches`; JAX cannot read in the middle."""
    y = x @ w
    return ((y * y if float((X @ W).sum()) + i > 1 else xp.cos(y)) + y).sum()


def without_reading(xp: Any, w: Any, x: Any, i: int) -> Any:
    """As `reads_every_time`."""
    return (xp.exp(x @ w * 0.1) * w.sum()).sum()


READ = {branches: branches_of_numpy, reads_every_time: without_reading}
CASES: list[Case] = [unused, shared, residuals, numbers, indexed, several, steps_apart, other_way, branches, reads_every_time, constant]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("pending", [False, True])
def test_the_same_as_jax_each_time(case: Case, pending: bool) -> None:
    w, x = x10.tensor(W), x10.tensor(X)
    for i in (0, 0, 0, 2, 1, 1, 0, 2):
        at = w * 1.0 if pending else w
        loss, (gw, gx) = x10.value_and_grad(lambda w, x, i=i: case(x10.numpy, w, x, i), argnums=(0, 1))(at, x)
        x10.barrier()
        plain = READ.get(case, case)
        expected, (ew, ex) = jax.value_and_grad(lambda w, x, i=i, plain=plain: plain(jnp, w, x, i), argnums=(0, 1))(jnp.asarray(W), jnp.asarray(X))
        np.testing.assert_allclose(np.asarray(loss), expected, rtol=1e-5)
        np.testing.assert_allclose(np.asarray(gw), ew, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(np.asarray(gx), ex, rtol=1e-4, atol=1e-5)


def followed(run: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the tape stays empty while the function runs."""
    written: list[bool] = []

    def noting(*args: Any) -> Entry:
        written.append(True)
        return Entry(*args)

    for name in ("autodiff", "replay"):
        monkeypatch.setattr(sys.modules[f"x10_jupyter.lazy.{name}"], "Entry", noting)
    run()
    monkeypatch.undo()
    return not written


def step(w: Any, x: Any) -> Any:
    """A loss and its gradient."""
    return x10.value_and_grad(lambda w: x10.numpy.tanh(x @ w).sum())(w)


def test_the_second_time_no_tape_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def once() -> None:
        step(w, x)
        x10.barrier()

    assert not followed(once, monkeypatch)
    assert followed(once, monkeypatch)


def test_an_operation_that_failed_leaves_the_gradient_right() -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def loss(w: Any, fails: bool) -> Any:
        y = x @ w
        if fails:
            with pytest.raises(Exception, match="Incompatible shapes"):
                _ = y + x10.numpy.ones(17)
        return (y * y).sum()

    expected = jax.grad(lambda w: ((X @ w) ** 2).sum())(jnp.asarray(W))
    for fails in (False, False, True, True, False):
        gradient = x10.grad(loss)(w, fails)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-5)


def test_an_error_in_the_loss_leaves_nothing_behind() -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def loss(w: Any, fails: bool) -> Any:
        y = x @ w
        if fails:
            raise KeyError("stop")
        return (y * y).sum()

    for fails in (False, False, True, True, False):
        if fails:
            with pytest.raises(KeyError):
                x10.grad(loss)(w, fails)
        else:
            x10.grad(loss)(w, fails)
        assert LOCAL.trace.replay is None
        assert LOCAL.trace.tape is None
        x10.barrier()


def test_gradients_of_gradients_inside_a_known_path() -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def penalised(xp: Any, grad: Any, w: Any, x: Any) -> Any:
        y = xp.tanh(x @ w).sum()
        inner = grad(lambda v: (v**3).sum())(w)
        return y + (inner * inner).sum()

    expected = jax.grad(lambda w: penalised(jnp, jax.grad, w, X))(jnp.asarray(W))
    for _ in range(3):
        gradient = x10.grad(lambda w: penalised(x10.numpy, x10.grad, w, x))(w)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-4, atol=1e-5)


def test_the_same_array_as_two_inputs_gets_two_gradients() -> None:
    w = x10.tensor(X)
    for _ in range(3):
        a, b = x10.grad(lambda a, b: (a * a * b).sum(), argnums=(0, 1))(w, w)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(a), 2 * X * X, rtol=1e-5)
        np.testing.assert_allclose(np.asarray(b), X * X, rtol=1e-5)


def test_the_users_own_tensor_is_not_differentiated() -> None:
    """A loss that reads its input as an argument and as a global: only the argument counts, though both are one array."""
    w = x10.tensor(X)
    for _ in range(3):
        gradient = x10.grad(lambda v: (v * w).sum())(w)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(gradient), X, rtol=1e-6)
    for _ in range(3):
        gradient = x10.grad(lambda v: (v * v).sum())(w)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(gradient), 2 * X, rtol=1e-6)


def test_two_gradients_in_one_trace_and_what_lies_between() -> None:
    w, x = x10.tensor(W), x10.tensor(X)
    second: Any = None
    for _ in range(4):
        _, first = step(w, x)
        moved = w - 0.1 * first
        _, second = step(moved, x)
        x10.barrier()
    expected = jax.grad(lambda w: jnp.tanh(X @ w).sum())
    one = expected(jnp.asarray(W))
    np.testing.assert_allclose(np.asarray(second), expected(jnp.asarray(W) - 0.1 * one), rtol=1e-5)


def test_a_change_of_settings_in_the_middle() -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def loss(w: Any, changes: bool) -> Any:
        y = x @ w
        if changes:
            with jax.default_matmul_precision("highest"):
                y = y @ x10.numpy.ones((4, 2))
            return y.sum()
        return (y @ x10.numpy.ones((4, 2))).sum()

    expected = jax.grad(lambda w: (X @ w @ jnp.ones((4, 2))).sum())(jnp.asarray(W))
    for changes in (False, False, True, True, False, True):
        gradient = x10.grad(loss)(w, changes)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-5)


def test_an_effect_in_the_loss_happens_each_time(capfd: pytest.CaptureFixture[str]) -> None:
    """A trace has to know of it, or nothing would print where the gradient is not used."""
    w, x = x10.tensor(W), x10.tensor(X)

    def told(y: Any) -> Any:
        jax.debug.print("seen {}", y.shape[0])
        return y * 2

    for _ in range(4):
        x10.grad(lambda w: x10.lazy(told)(x @ w).sum())(w)
        x10.barrier(wait=True)
        jax.effects_barrier()
    assert capfd.readouterr().out.count("seen 2") == 4


def test_values_that_the_loss_hands_out_are_there() -> None:
    w, x = x10.tensor(W), x10.tensor(X)

    def loss(w: Any) -> Any:
        y = x10.numpy.tanh(x @ w)
        return (y * y).sum(), {"y": y, "w": w}

    for _ in range(3):
        (_, aux), _ = x10.value_and_grad(loss, has_aux=True)(w)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(aux["y"]), np.tanh(X @ W), rtol=1e-5)
        np.testing.assert_array_equal(np.asarray(aux["w"]), W)


def test_a_known_path_is_one_program_and_a_new_shape_another() -> None:
    w = x10.tensor(W)
    batches = [x10.tensor(X), x10.tensor(X), x10.tensor(X[:1]), x10.tensor(X), x10.tensor(X[:1])]

    def run() -> None:
        for x in batches:
            _, gradient = step(w, x)
            x10.barrier()
            np.testing.assert_allclose(np.asarray(gradient), jax.grad(lambda w, x=x: jnp.tanh(np.asarray(x) @ w).sum())(jnp.asarray(W)), rtol=1e-5)

    assert len(compiles(run)) == 2


def test_the_inputs_are_free_at_the_barrier() -> None:
    """A cycle once kept them until the next collection, so that every other step copied them instead of writing over them."""
    w, x = x10.tensor(np.ones((256, 128), np.float32)), x10.tensor(np.ones((2, 256), np.float32))
    gc.disable()
    try:
        places = set()
        for _ in range(6):
            w = w * 0.5 + x10.grad(lambda w: x10.numpy.tanh(x @ w).sum())(w)
            x10.barrier()
            places.add(w.held.unsafe_buffer_pointer())
        assert len(places) == 1
    finally:
        gc.enable()


def test_a_tensor_of_another_threads_gradient_is_a_constant() -> None:
    """Threads once numbered their nodes alike, so that one took the other's for its own."""
    w = x10.tensor(np.ones(3, np.float32))
    shared: list[Any] = []
    inside, made = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(10)

        def loss(v: Any) -> Any:
            h = x10.numpy.sin(v) * v
            shared.append(h)
            return h.sum()

        x10.grad(loss)(x10.tensor(np.array([1, 2, 3], np.float32)))
        x10.barrier()
        made.set()

    thread = threading.Thread(target=other)
    thread.start()

    def loss(v: Any) -> Any:
        y = v * 2.0
        inside.set()
        made.wait(10)
        return (y * shared[0]).sum()

    gradient = x10.grad(loss)(w)
    thread.join()
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_allclose(np.asarray(gradient), 2 * np.sin(x) * x, rtol=1e-5)


def test_an_error_twice_on_one_path_loses_nothing() -> None:
    """The second time residuals are only placeholders, and a program that computes them, too, was taken for the cut."""
    w = x10.tensor(np.ones(3, np.float32))
    seen, errors = [], []

    def loss(w: Any) -> Any:
        h = x10.numpy.exp(x10.numpy.sin(w))
        seen.append(h)
        raise ValueError("x")

    for _ in range(3):
        try:
            x10.grad(loss)(w)
        except ValueError as error:
            errors.append(error)
            np.testing.assert_allclose(np.asarray(seen[-1]), np.exp(np.sin(np.ones(3))), rtol=1e-6)


def test_a_loop_that_keeps_the_errors_of_its_bad_steps_goes_on() -> None:
    w, x = x10.tensor(W), x10.tensor(X)
    errors = []

    def loss(w: Any, is_bad: bool) -> Any:
        h = x10.numpy.exp(x @ w)
        if is_bad:
            raise ValueError("a bad batch")
        return (h * h).sum()

    plain = jnp.asarray(W)
    for i in range(8):
        try:
            w = w - 0.01 * x10.grad(loss)(w, i in (2, 4, 5))
            plain = plain - 0.01 * jax.grad(lambda w: (jnp.exp(X @ w) ** 2).sum())(plain)
        except ValueError as error:
            errors.append(error)
        x10.barrier()
        np.testing.assert_allclose(np.asarray(w), plain, rtol=1e-4)


def test_a_known_path_that_begins_without_a_tensor_begins_its_trace() -> None:
    def loss(w: Any) -> Any:
        return (x10.numpy.ones(3) * w).sum()

    w = x10.tensor(np.ones(3, np.float32))
    for _ in range(3):
        with listening() as events:
            x10.grad(loss)(w)
            x10.barrier()
        (traced,) = [event for event in events if isinstance(event, Traced)]
        assert 0 < traced.start_ns <= traced.end_ns


def test_an_old_loss_in_a_new_one_is_a_constant() -> None:
    w, x = x10.tensor(W), x10.tensor(X)
    loss = None
    for _ in range(4):
        old = loss
        loss, gradient = x10.value_and_grad(lambda w, old=old: (x @ w).sum() * (1.0 if old is None else old))(w)
        x10.barrier()
        scale = 1.0 if old is None else float(old)
        np.testing.assert_allclose(np.asarray(gradient), np.broadcast_to(X.sum(0)[:, None], W.shape) * scale, rtol=1e-4)


def test_a_pruned_path_is_learned_again() -> None:
    w, x = x10.tensor(W), x10.tensor(X)
    for _ in range(3):
        _, gradient = step(w, x)
        x10.barrier()
        prune(STORE)
        np.testing.assert_allclose(np.asarray(gradient), jax.grad(lambda w: jnp.tanh(X @ w).sum())(jnp.asarray(W)), rtol=1e-5)
