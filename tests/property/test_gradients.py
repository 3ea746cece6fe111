"""Gradients are those of `jax.grad`."""

import inspect
import warnings
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import x10_jupyter as x10
from property import programs
from property.both import JAX, X10, Words, disagreement, lifted
from property.gradient_cases import CASES, INDEX, M, V
from property.sameness import difference, outcome, read_all, refusal_difference
from x10_jupyter.base.errors import UsageError


@pytest.mark.parametrize("name", CASES)
def test_a_gradient_is_that_of_jax(name):
    case = CASES[name]
    defaults = [p.default for p in inspect.signature(case).parameters.values() if p.default is not p.empty]
    assert not disagreement(case, *defaults)


def test_whole_numbers_among_the_leaves_are_left_alone():
    gradient = x10.grad(lambda p: (p[0] * p[1]).sum())((x10.tensor(V), x10.tensor(INDEX), True))
    assert np.array_equal(gradient[0], INDEX) and np.array_equal(gradient[1], [0, 0, 0]) and gradient[1].dtype == jnp.int32 and not gradient[2]


MASK = np.asarray(V > 0)
MASKED = {
    "once": lambda w, mask: w.grad(lambda x: (x[mask(x)] ** 2).sum()),
    "twice": lambda w, mask: w.grad(lambda x: w.grad(lambda y: (y[mask(y)] ** 3).sum())(x).sum()),
    "the outer only": lambda w, mask: w.grad(lambda x: (x[mask(x)] * w.grad(lambda y: (y**3).sum())(x)[0]).sum()),
    "both": lambda w, mask: w.grad(lambda x: w.grad(lambda y: (y[mask(y)] ** 3 * x[mask(x)]).sum())(x).sum()),
}


@pytest.mark.parametrize("name", MASKED)
def test_a_gradient_goes_through_a_fallback(name):
    """A mask that depends on values is nothing JAX can differentiate with, so it is given there."""
    ours = MASKED[name](X10, lambda x: x > 0)(x10.tensor(V))
    assert not difference(ours, MASKED[name](JAX, lambda _: MASK)(V), exact=False)


OTHERS = {"jnp": jnp.sin, "operator": lambda x: jnp.ones(3) @ x, "jit": jax.jit(lambda x: x * 2), "vmap": lambda x: jax.vmap(jnp.sin)(x)}


@pytest.mark.parametrize("name", OTHERS)
def test_a_gradient_is_never_lost_without_a_word(name):
    fn = OTHERS[name]
    expected = jax.grad(lambda x: fn(x).sum())(V)
    ours, refusal = outcome(x10.grad(lambda x: x10.numpy.sum(fn(x))), x10.tensor(V))
    assert isinstance(refusal, UsageError) or not difference(ours, expected, exact=False)


SMOOTH = [f for f in programs.functions() if f.arity <= 2]


def random_loss(rng: Random) -> tuple[Any, list[Any]]:
    """A function of words and three matrices, made of calls drawn at random; and which."""
    steps = [(rng.choice(SMOOTH), rng.randrange(99), rng.randrange(99)) for _ in range(rng.randint(1, 5))]
    looks, levels = [rng.randrange(4) == 0 for _ in steps], rng.choice([1, 1, 1, 2])

    def loss(w: Words, *xs: Any) -> Any:
        spaces = {"numpy": w.numpy, "nn": w.nn, "lax": w.lax, "linalg": w.numpy.linalg, "fft": w.numpy.fft}
        values = list(xs)
        for (function, i, j), look in zip(steps, looks, strict=True):
            made = function.call(spaces, *[values[i % len(values)], values[j % len(values)]][: function.arity])
            values += [x for x in jax.tree.leaves(made) if x.size <= 64]
            if look and w is X10:
                w.look(values[-1])
        return sum(w.numpy.tanh(w.numpy.real(x)).sum() for x in values)

    def case(w: Words, *xs: Any) -> Any:
        def inner(*ys: Any) -> Any:
            return w.numpy.tanh(w.grad(lambda *zs: loss(w, *zs))(*ys)).sum() if levels == 2 else loss(w, *ys)

        return w.value_and_grad(inner, (0, 2))(*xs)

    return case, [(f.name, i, j) for f, i, j in steps]


def check_gradient(rng: Random) -> None:
    """A random gradient is JAX's, to rounding: or that of the whole as one program, where rounding decides between two."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (case, steps), xs = random_loss(rng), [M / 3, jnp.flip(M, 0) / 2, M - 1.5]
        expected, refusal = outcome(case, JAX, *xs)
        ours, error = outcome(case, X10, *lifted(xs))
        error = error or outcome(read_all, ours)[1]
        found = refusal_difference(error, refusal) or ("" if refusal is not None else difference(ours, expected, exact=False))
        if found and refusal is None:
            fused, refused = outcome(jax.jit(lambda *ys: case(JAX, *ys)), *xs)
            found = refusal_difference(error, refused) or ("" if refused is not None else difference(ours, fused, exact=False))
        assert not found, f"{steps}: {found}"


@settings(max_examples=settings().max_examples // 2)
@given(rng=st.randoms(use_true_random=False))
def test_any_gradient_is_that_of_jax(rng: Random):
    check_gradient(rng)
