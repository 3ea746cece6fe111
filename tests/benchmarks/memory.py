"""What it costs to look at the devices' memory: a snapshot, its sums, and by line; and a capture that does."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp

import x10_jupyter as x10
from tests.benchmarks.timing import paired, seconds
from x10_jupyter.observe.heap_profile import HeapProfile
from x10_jupyter.observe.holdings import holdings

ARRAYS = (100, 2_000, 10_000)
TIMES = 31
DEEP = 40
"""Stacks of so many depths make the arrays, half of them by a program and half by an operation."""


def rows() -> Iterator[str]:
    """The table, and what it does to a loop."""
    yield "| arrays alive | snapshot | its sums | by line | aim for all |"
    yield "| ---: | ---: | ---: | ---: | ---: |"
    kept: list[Any] = [jnp.ones(4)]
    step: Any = jax.jit(lambda x: x + 1)
    for number in ARRAYS:
        while len(kept) < number:
            kept.append(at_depth(len(kept) % DEEP, lambda: step(kept[-1])) if len(kept) % 2 else at_depth(len(kept) % DEEP, lambda: jnp.ones(4) * 2))
        taken = jax.profiler.device_memory_profile()
        profile = HeapProfile(taken)
        took = [
            middle(jax.profiler.device_memory_profile),
            middle(lambda taken=taken: HeapProfile(taken)),
            middle(lambda profile=profile: holdings(profile, {})),
        ]
        yield f"| {number:,} | {' | '.join(f'{each:.2f} ms' for each in took)} | 5 ms |"
    del kept[100:]
    yield from loop()


def loop() -> Iterator[str]:
    """A loop of steps of some milliseconds in a capture that looks, and in one that does not."""
    step: Any = jax.jit(lambda x: jnp.tanh(x @ x) * 0.5)
    x = jax.block_until_ready(step(jnp.ones((400, 400))))

    def run(*, memory: bool) -> None:
        with x10.capture(memory=memory):
            y = x
            for _ in range(300):
                y = step(y)
                y.block_until_ready()

    found = paired(lambda: run(memory=True), lambda: run(memory=False), count=1, pairs=11)
    yield ""
    yield f"A loop of {found.theirs_us / 1e6:.2f} s with 100 arrays alive takes {found.ratio:.3f} × as long in a capture that looks at memory."


def at_depth(depth: int, call: Callable[[], Any]) -> Any:
    """A call from so many frames deeper."""
    return call() if depth == 0 else at_depth(depth - 1, call)


def middle(call: Callable[[], object]) -> float:
    """Milliseconds of the middle one of several calls."""
    return median(seconds(call) for _ in range(TIMES)) * 1e3
