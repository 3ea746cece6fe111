"""`x10.capture(ops=True)`: what asking for the time of each operation costs the code that is captured."""

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp

import x10_jupyter as x10

PAIRS = 9
STEPS = 60


@jax.jit
def step(weights: Any, x: Any) -> Any:
    """Some milliseconds of a model: 24 layers of 256, forward and backward."""

    def loss(weights: Any) -> Any:
        y = x
        for w in weights:
            y = jnp.tanh(y @ w)
        return (y * y).mean()

    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights))


def captured_ms(weights: Any, x: Any, *, ops: bool) -> tuple[float, float, int]:
    """Milliseconds that the steps take, and that they take with reading what was recorded; and how many operations were found."""
    start = perf_counter()
    with x10.capture(ops=ops) as capturing:
        for _ in range(STEPS):
            weights = step(weights, x)
        jax.block_until_ready(weights)
        end = perf_counter()
    return (end - start) * 1e3, (perf_counter() - start) * 1e3, len(capturing.capture.operations)


def rows() -> Iterator[str]:
    """The table."""
    weights = [jax.random.normal(key, (256, 256)) / 16 for key in jax.random.split(jax.random.key(0), 24)]
    x = jnp.ones((256, 256))
    for ops in (False, True):
        captured_ms(weights, x, ops=ops)
    pairs = [(captured_ms(weights, x, ops=True), captured_ms(weights, x, ops=False)) for _ in range(PAIRS)]
    plain = median(b[0] for _, b in pairs) / STEPS
    yield "| `x10.capture(ops=True)` | beside `x10.capture()` | aim |"
    yield "| --- | ---: | ---: |"
    yield f"| {STEPS} steps of {plain:.1f} ms, while they run, middle of {PAIRS} | {median(a[0] / b[0] for a, b in pairs):.2f} | 1.3 |"
    yield f"| with reading what was recorded: {pairs[-1][0][2]:,} operations told apart | {median(a[1] / b[1] for a, b in pairs):.2f} | |"
