"""An operator on a known path does what it did when it was new."""

import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10

NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne")
OPERATORS = {**{name: getattr(operator, name) for name in NAMES}, "divmod": divmod}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("right", ["tensor", 2.5, 3], ids=str)
@pytest.mark.parametrize("reflected", [False, True], ids=["", "reflected"])
def test_an_operator_gives_the_same_each_time(name, right, reflected):
    data = np.arange(1, 7, dtype=np.float32)
    fn, a = OPERATORS[name], x10.tensor(data)
    for _ in range(3):
        b, y = (a + 1, data + 1) if right == "tensor" else (right, np.float32(right))
        ours, theirs = (fn(b, a), fn(y, data)) if reflected else (fn(a, b), fn(data, y))
        more = a * 2
        assert np.allclose(ours, theirs, rtol=1e-5) and np.array_equal(more, data * 2)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "mod", "pow"])
@pytest.mark.parametrize("right", ["tensor", 2.5, 3], ids=str)
@pytest.mark.parametrize("reflected", [False, True], ids=["", "reflected"])
def test_an_operator_under_a_gradient_gives_the_same_each_time(name, right, reflected):
    data = np.arange(1, 7, dtype=np.float32)
    fn, a = OPERATORS[name], x10.tensor(data)

    def loss(xp, x):
        other = xp.ones(6) * 0.75 if right == "tensor" else right
        y = x * 0.5
        return (fn(other, y) if reflected else fn(y, other)).sum()

    expected = jax.value_and_grad(lambda x: loss(jnp, x))(jnp.asarray(data))
    for _ in range(3):
        found = x10.value_and_grad(lambda x: loss(x10.numpy, x))(a)
        x10.barrier()
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(mine), theirs, rtol=1e-5)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "ge"])
@pytest.mark.parametrize("is_differentiated", [False, True])
def test_a_tensor_that_is_first_met_as_both_operands_is_both_also_where_its_product_with_another_is_known(name, is_differentiated):
    fn, data = OPERATORS[name], np.full(3, 5, np.float32)

    def run(with_itself):
        a, b = x10.tensor(np.zeros(3, np.float32)), x10.tensor(data)

        def made(a):
            y = x10.numpy.exp(a)
            z = fn(b, b if with_itself else y)
            return (y * z).sum(), z

        (_, z), _ = x10.value_and_grad(made, has_aux=True)(a) if is_differentiated else (made(a), None)
        return np.asarray(z)

    for with_itself in (False, True, False, True):
        np.testing.assert_array_equal(run(with_itself), fn(data, data if with_itself else np.ones(3, np.float32)))


@pytest.mark.parametrize("is_differentiated", [False, True], ids=["", "differentiated"])
def test_what_comes_next_may_be_something_else_each_time(is_differentiated):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(2, 3)).astype(np.float32)
    nexts = [
        lambda xp, a, b: a * b, lambda xp, a, b: b * a, lambda xp, a, b: a * a, lambda xp, a, b: a * 2.0, lambda xp, a, b: 2.0 - a, lambda xp, a, b: a - 2.0,
        lambda xp, a, b: xp.tanh(a), lambda xp, a, b: xp.tanh(b), lambda xp, a, b: xp.where(a > b, a, b), lambda xp, a, b: xp.maximum(a, b),
        lambda xp, a, b: xp.maximum(b, a), lambda xp, a, b: a * 3,
    ]  # fmt: skip
    for which in rng.integers(len(nexts), size=120):

        def loss(xp, a, which=which):
            return (nexts[which](xp, a, a + 1.0) * xp.ones(3)).sum()

        if is_differentiated:
            ours, theirs = x10.grad(lambda a: loss(x10.numpy, a))(x10.tensor(data)), jax.grad(lambda a: loss(jnp, a))(jnp.asarray(data))
        else:
            ours, theirs = loss(x10.numpy, x10.tensor(data)), loss(jnp, jnp.asarray(data))
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-5)
