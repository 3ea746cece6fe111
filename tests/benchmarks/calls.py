"""What one call of a function costs to record, beside one call of JAX."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10
from tests.benchmarks.timing import Pair, paired

COUNT = 200
DATA = np.full((8, 8), 0.5, np.float32)
SCALE = 2.0


def scaled(x: Any) -> Any:
    """Reads a global number."""
    return x * SCALE


def both(x: Any, y: Any) -> tuple[Any, Any]:
    """Two results."""
    return x + y, x - y


def measure(ours: Callable[[Any], object], theirs: Callable[[Any], object]) -> Pair:
    """A call on a tensor that is there, without the run."""
    x, j = x10.tensor(DATA), jnp.asarray(DATA)

    def lazily() -> None:
        for _ in range(COUNT):
            ours(x)
        x10.barrier()

    def eagerly() -> None:
        for _ in range(COUNT):
            theirs(j)

    return paired(lazily, eagerly, count=COUNT)


def rows() -> Iterator[str]:
    """The table."""
    lazy_scaled, lazy_both, jitted_both = x10.lazy(scaled), x10.lazy(both), jax.jit(both)
    cases: list[tuple[str, Callable[[Any], object], Callable[[Any], object]]] = [
        ("`xp.tanh(x)`", x10.numpy.tanh, jnp.tanh),
        ("`xp.add(x, x)`", lambda x: x10.numpy.add(x, x), lambda x: jnp.add(x, x)),
        ("`xp.sum(x, axis=-1)`", lambda x: x10.numpy.sum(x, axis=-1), lambda x: jnp.sum(x, axis=-1)),
        ("`x.reshape(4, 16)`", lambda x: x.reshape(4, 16), lambda x: x.reshape(4, 16)),
        ("`xp.clip(x, 0.1, 0.9)`", lambda x: x10.numpy.clip(x, 0.1, 0.9), lambda x: jnp.clip(x, 0.1, 0.9)),
        ("`x[1:3]`", lambda x: x[1:3], lambda x: x[1:3]),
        ("`xp.stack([x, x])`", lambda x: x10.numpy.stack([x, x]), lambda x: jnp.stack([x, x])),
        ("`lazy(fn)(x)`, a global number", lazy_scaled, jax.jit(scaled)),
        ("`lazy(fn)(x, x)`, two results", lambda x: lazy_both(x, x), lambda x: jitted_both(x, x)),
        ("`lazy(lambda …)(x)`, made anew", lambda x: x10.lazy(lambda y: y + 1)(x), lambda x: x + 1),
    ]
    yield "| call on f32[8,8] | recorded, µs | JAX, µs | ratio |"
    yield "| --- | ---: | ---: | ---: |"
    for name, ours, theirs in cases:
        pair = measure(ours, theirs)
        yield f"| {name} | {pair.ours_us:.1f} | {pair.theirs_us:.1f} | {pair.ratio:.2f} |"
