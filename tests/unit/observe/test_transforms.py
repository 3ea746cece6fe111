"""Which transformation a call is made under."""

import sys
from typing import Any

import jax
import numpy as np
import pytest

from x10_jupyter.observe.transforms import derived, transform

X = np.ones(3, np.float32)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda f: f(X), ""),
        (lambda f: jax.grad(f)(X), "grad"),
        (lambda f: jax.value_and_grad(f)(X), "grad"),
        (lambda f: jax.vmap(f)(X), "vmap"),
        (lambda f: jax.vmap(jax.grad(f))(X), "vmap(grad)"),
        (lambda f: jax.grad(jax.grad(f))(1.0), "grad(grad)"),
        (lambda f: jax.hessian(f)(X), "vmap(jvp(grad))"),
        (lambda f: jax.jvp(f, (X,), (X,)), "jvp"),
    ],
)
def test_it_is_told_from_outside_in(call: Any, expected: str) -> None:
    seen: list[str] = []

    def f(a: Any) -> Any:
        seen.append(transform([1, a], sys._getframe()))
        return (a * 2).sum()

    call(f)
    assert seen[0] == expected


def test_a_tracer_tells_where_no_function_does() -> None:
    def f(a: Any) -> Any:
        assert transform([a], None) == "vmap"
        return a

    jax.vmap(f)(X)


def test_the_way_back_is_known_by_who_runs_it() -> None:
    def backward_pass() -> str:
        return derived(sys._getframe())

    assert (backward_pass(), derived(None)) == ("backward pass", "derived program")
