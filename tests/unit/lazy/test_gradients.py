"""`grad` and `value_and_grad` are those of JAX, and say clearly what they refuse."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles
from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.lazy.gradients import check_inputs, place_of, split

xnp = x10.numpy
X = np.array([1.5, -0.5, 2.0], np.float32)


def vector() -> x10.Tensor:
    return x10.tensor(X)


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "powers": lambda np_, x: (x**3).sum(),
    "a value used twice": lambda np_, x: (x * x + np_.sin(x) * x).mean(),
    "indexing": lambda np_, x: x[0] * x[2] + x[::-1][0],
    "branches": lambda np_, x: np_.where(x > 0, x, 0.1 * x).sum(),
    "a loop": lambda np_, x: sum((x * i).sum() for i in range(4)),
    "no dependence": lambda np_, x: np_.ones(()) * 2.0,
    "sorting": lambda np_, x: (np_.sort(x) * np_.arange(3)).sum(),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_they_are_jaxs(loss: Callable[[Any, Any], Any]) -> None:
    value, slope = x10.value_and_grad(lambda x: loss(xnp, x))(vector())
    want_value, want_slope = jax.value_and_grad(lambda x: loss(jnp, x))(jnp.array(X))
    np.testing.assert_allclose(np.asarray(value), want_value, rtol=1e-6)
    np.testing.assert_allclose(np.asarray(slope), want_slope, rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(x10.grad(lambda x: loss(xnp, x))(vector())), np.asarray(slope))


def test_trees_arguments_and_aux() -> None:
    def loss(p: Any, scale: Any, *, power: int) -> Any:
        return ((p["w"] * scale) ** power).sum() + p["n"] * 1.0, {"n": p["n"]}

    p = {"w": vector(), "n": x10.tensor(2)}
    (value, aux), (by_p, by_scale) = x10.value_and_grad(loss, argnums=(0, 1), has_aux=True)(p, 3.0, power=2)
    assert float(value) == 9 * float((X**2).sum()) + 2
    assert int(aux["n"]) == 2
    np.testing.assert_allclose(np.asarray(by_p["w"]), 18 * X)
    assert (by_p["n"].dtype, int(by_p["n"])) == (np.int32, 0), "a whole number is left alone"
    assert float(by_scale) == pytest.approx(6 * float((X**2).sum()))
    gradient, more = x10.grad(loss, argnums=-1, has_aux=True)(p, 3.0, power=2)
    assert (float(gradient), int(more["n"])) == (float(by_scale), 2)


def test_second_derivatives() -> None:
    second = x10.grad(lambda x: x10.grad(lambda y: (y**3).sum())(x).sum())(vector())
    np.testing.assert_allclose(np.asarray(second), 6 * X)


def test_stop_gradient_and_rules_of_the_users() -> None:
    @jax.custom_jvp
    def odd(x: Any) -> Any:
        return x * x

    odd.defjvp(lambda primals, tangents: (odd(*primals), 100.0 * tangents[0]))
    f = x10.lazy(odd)
    assert np.asarray(x10.grad(lambda x: f(x).sum())(vector())).tolist() == [100] * 3
    stopped = x10.grad(lambda x: (x * x10.lax.stop_gradient(x)).sum())(vector())
    np.testing.assert_array_equal(np.asarray(stopped), X)


@pytest.mark.parametrize("between", [lambda t: float(t), lambda t: x10.barrier(), repr], ids=["read", "barrier", "nothing"])
def test_a_cut_between_forward_and_backward_changes_nothing(between: Callable[[Any], Any]) -> None:
    def loss(x: Any) -> Any:
        y = (x * x).sum()
        between(y)
        return y * y

    np.testing.assert_allclose(np.asarray(x10.grad(loss)(vector())), 4 * X * (X * X).sum(), rtol=1e-6)


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (lambda: x10.grad(lambda x: x * 2.0)(vector()), r"^Gradients are those of a scalar; got f32\[3\] at test_gradients.py:\d+\. Reduce the loss"),
        (lambda: x10.grad(lambda x: (x * 1.0).sum())(x10.tensor([1, 2])), r"^Gradients are taken by floating-point arguments; got i32\[2\]\. Convert it"),
        (lambda: x10.grad(lambda x: x)(x10.tensor(True)), r"^Gradients are taken by floating-point arguments; got bool\[\]"),
        (lambda: x10.grad(lambda x: x)({}), "^Gradients are taken by floating-point arguments; got no tensor"),
        (lambda: x10.grad(lambda x: None)(vector()), "^Gradients are those of a scalar; got NoneType"),
        (lambda: x10.grad(lambda x: x.astype("int32").sum())(vector()), r"^Gradients are those of a real floating-point scalar; got i32\[\]"),
    ],
    ids=["vector", "integer", "boolean", "nothing", "None", "integer loss"],
)
def test_what_has_no_gradient_is_refused(take: Callable[[], Any], message: str) -> None:
    with pytest.raises(OperandError, match=message):
        take()
    np.testing.assert_array_equal(np.asarray(x10.grad(lambda x: x.sum())(vector())), np.ones(3), "and the next one is right")


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^`argnums` must name positional arguments of the call, which has 1; got 1\. Pass the argument by position\."):
        x10.grad(lambda x: x, argnums=1)(vector())
    with pytest.raises(UsageError, match=r"^With `has_aux` the function must return a pair; got Tensor\. Return \(loss, aux\)\."):
        x10.grad(lambda x: x.sum(), has_aux=True)(vector())


def test_under_jax_they_are_jaxs() -> None:
    assert jax.jit(x10.grad(lambda x: x * x))(3.0) == 6


def test_a_step_is_one_program() -> None:
    def step() -> None:
        w = vector()
        for _ in range(3):
            w = w - 0.1 * x10.grad(lambda v: (v * v).sum())(w)
            x10.barrier()

    assert len(compiles(step)) == 1


def test_parts() -> None:
    assert [place_of(i, 3) for i in (0, 2, -1, -3)] == [0, 2, 2, 0]
    for wrong in (3, -4):
        with pytest.raises(UsageError, match="must name positional arguments"):
            place_of(wrong, 3)
    assert split(5, has_aux=False) == (5, None)
    assert split((5, "aux"), has_aux=True) == (5, "aux")
    with pytest.raises(OperandError, match="got no tensor"):
        check_inputs([])
