"""A function's layers, and what made it."""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import numpy as np
import pytest
from jax.sharding import Mesh, PartitionSpec

from x10_jupyter.observe.layers import MOST_LAYERS, closed_over, hidden_in, is_hidden, layers_of, made_of


def loss(a: Any) -> Any:
    return (a * 2).sum()


class Model:
    def plain(self, a: Any) -> Any:
        return a

    @classmethod
    def of_class(cls, a: Any) -> Any:
        return a

    def __call__(self, a: Any) -> Any:
        return a


def timed(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def inner(*args: Any) -> Any:
        return f(*args)

    return inner


def spread(f: Callable[..., Any]) -> Any:
    return jax.shard_map(f, mesh=Mesh(np.array(jax.devices()[:1]), ("x",)), in_specs=PartitionSpec(), out_specs=PartitionSpec())


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (loss, ""),
        (lambda a: a, "lambda …"),
        (functools.partial(loss), "functools.partial(loss)"),
        (functools.partial(loss, 1), "functools.partial(loss, …)"),
        (functools.partial(jax.grad(loss), a=1), "functools.partial(jax.grad(loss), …)"),
        (Model().plain, "Model(…).plain"),
        (Model.of_class, "Model.of_class"),
        (Model(), "Model(…)"),
        (timed(loss), "timed(loss)"),
        (jax.grad(loss), "jax.grad(loss)"),
        (jax.value_and_grad(lambda a: a), "jax.value_and_grad(lambda …)"),
        (jax.vmap(jax.grad(loss)), "jax.vmap(jax.grad(loss))"),
        (jax.jacfwd(loss), "jax.jacfwd(loss)"),
        (jax.checkpoint(loss), "jax.checkpoint(loss)"),
        (jax.custom_vjp(loss), "jax.custom_vjp(loss)"),
        (spread(loss), "jax.shard_map(loss)"),
        (nn.Dense(2).apply, "Dense(…).apply"),
        (jax.jit(loss), ""),
        (eqx.filter_grad(loss), ""),
    ],
)
def test_what_made_a_function_is_told_as_its_author_may_have_written_it(function: Any, told: str) -> None:
    assert made_of(list(layers_of(function))) == told


def test_a_function_that_jax_has_wrapped_is_found_and_hides_none_itself() -> None:
    assert list(layers_of(jax.pmap(loss)))[-1] is loss
    assert (hidden_in(loss), is_hidden(loss)) == (None, False)


def test_a_function_around_itself_has_an_end() -> None:
    def f() -> None: ...

    vars(f)["__wrapped__"] = f
    assert len(list(layers_of(f))) == MOST_LAYERS


def later() -> Any:
    def f() -> Any:
        return g

    layers = list(layers_of(f)), list(closed_over(f))
    g = 1
    return layers, f, g


def test_a_name_that_is_bound_later_is_no_obstacle() -> None:
    (layers, held), f, _ = later()
    assert (layers, held) == ([f], [])
