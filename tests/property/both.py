"""The same code with JAX's functions on arrays, and with ours on tensors."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10
from property.sameness import difference, outcome, refusal_difference


class Words(NamedTuple):
    """What code is written with."""

    numpy: Any
    nn: Any
    lax: Any
    grad: Callable[..., Any]
    value_and_grad: Callable[..., Any]
    lazy: Callable[..., Any]
    look: Callable[[Any], Any]
    """Reads a value and cuts the trace."""


def looked(t: Any) -> None:
    np.asarray(t)
    x10.barrier()


JAX = Words(jnp, jax.nn, jax.lax, jax.grad, jax.value_and_grad, lambda fn: fn, lambda x: None)
X10 = Words(x10.numpy, x10.nn, x10.lax, x10.grad, x10.value_and_grad, x10.lazy, looked)


def lifted(x: Any) -> Any:
    return jax.tree.map(lambda y: x10.tensor(y) if isinstance(y, jax.Array) else y, x)


def disagreement(case: Callable[..., Any], *args: Any) -> str:
    """How ``case(words, *args)`` differs between the two."""
    expected, refusal = outcome(case, JAX, *args)
    ours, error = outcome(case, X10, *lifted(args))
    return refusal_difference(error, refusal) or ("" if refusal is not None else difference(ours, expected, exact=False))
