"""Functions of reduced tensors compute what JAX computes in bfloat16, and say what they would say of full ones."""

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import settings

import x10_jupyter as x10
from property import programs
from property.both import JAX, X10, Words
from property.programs import Function
from property.sameness import kind_of, outcome, plain, refusal_difference, value_difference
from x10_jupyter.lazy.precision import REDUCED, WIDE

SPACES = {
    w: {"numpy": w.numpy, "nn": w.nn, "lax": w.lax, "linalg": w.numpy.linalg, "fft": fft} for w, fft in ((JAX, jnp.fft), (X10, x10.fft))
}  # fmt: skip
FUNCTIONS = [
    *programs.functions(), *programs.OPERATORS, *programs.METHODS, *[f for f in programs.SHAPING if f.name != "solve"], *programs.INDEXING,
]  # fmt: skip
"""All but one that makes a full matrix, and so mixes precisions."""
MATRICES = [jnp.asarray(programs.DATA.reshape(3, 3) * scale, jnp.float32) for scale in (1, 0.3, 2)]


pytestmark = pytest.mark.usefixtures("compiles_fast")


def narrow(x: jax.Array) -> jax.Array:
    return x.astype(REDUCED)


def held(x: Any) -> Any:
    """What the device holds for a tensor."""
    if not isinstance(x, x10.Tensor):
        return x
    x.block_until_ready()
    return x.held


def disagreement(function: Function) -> str:
    """How a function of reduced tensors differs from the same in bfloat16; and how what it says differs from what JAX says of full ones."""
    args = MATRICES[: function.arity]
    expected, refusal = outcome(lambda: function.call(SPACES[JAX], *map(narrow, args)))
    said, _ = outcome(lambda: function.call(SPACES[JAX], *args))
    ours, error = outcome(lambda: function.call(SPACES[X10], *map(x10.to_reduced_precision, args)))
    data, unread = outcome(jax.tree.map, held, ours)
    if error or unread or refusal:
        return refusal_difference(error or unread, refusal)
    for t, a, b, c in zip(*map(jax.tree.leaves, (ours, data, expected, said)), strict=True):
        if not isinstance(b, jax.Array):
            continue
        if kind_of(a) != kind_of(b):
            return f"held as {kind_of(a)}, not {kind_of(b)}"
        wanted = c.dtype if b.dtype == REDUCED and c.dtype in WIDE else b.dtype
        if (t.dtype, t.is_reduced_precision) != (wanted, wanted != b.dtype):
            return f"says {t!r}, not {wanted}"
        found = value_difference(*map(plain, (a, b)), exact=False)
        if found:
            return found
    return ""


def gradient_disagreement(function: Function) -> str:
    """How a gradient under mixed precision differs from JAX's of the same with the casts written out."""

    def loss(words: Words, entering: Callable[[Any], Any], *xs: Any) -> Any:
        made = [entering(words.numpy.real(x)) for x in jax.tree.leaves(function.call(SPACES[words], *map(entering, xs)))]
        return sum(entering(words.numpy.tanh(x)).sum() for x in made)

    def cast(x: Any) -> Any:
        return narrow(x) if x.dtype in WIDE else x

    args = MATRICES[: function.arity]
    expected, refusal = outcome(jax.value_and_grad(lambda *xs: loss(JAX, cast, *xs)), *args)
    ours, error = outcome(mixed_gradient, lambda *xs: loss(X10, lambda x: x, *xs), *map(x10.tensor, args))
    data, unread = outcome(jax.tree.map, held, ours)
    if error or unread or refusal:
        return refusal_difference(error or unread, refusal)
    for a, b in zip(data, expected, strict=True):
        if kind_of(a) != kind_of(b):
            return f"held as {kind_of(a)}, not {kind_of(b)}"
        found = value_difference(*[plain(narrow(x)) for x in (a, b)], exact=False)
        if found:
            return found
    return ""


@x10.mixed_precision("bf16")
def mixed_gradient(loss: Callable[..., Any], *xs: Any) -> Any:
    return x10.value_and_grad(loss)(*xs)


CHECKS = {"values": disagreement, "gradients": gradient_disagreement}


@pytest.mark.parametrize("check", CHECKS)
def test_a_function_computes_in_reduced_precision(check: str) -> None:
    everything = settings().max_examples > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = FUNCTIONS if everything else Random(7).sample(FUNCTIONS, 30)
        found = {f.name: different for f in chosen if (different := CHECKS[check](f))}
    assert not found
