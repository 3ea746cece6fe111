"""What it costs to know why JAX compiles: nothing on a call that is known, and little on one that isn't."""

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.benchmarks.timing import seconds
from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.observe.staging import Staging

CALLS, TURNS = 1_000, 400
KNOWN = 1_000


def rows() -> Iterator[str]:
    """Two sentences."""
    ours, without = cached_call()
    yield f"A cached `jax.jit` call takes {without:.3f} µs without the extension, and {ours - without:+.3f} µs with it (least of many turns)."
    took = sorted(explained())
    yield (
        f"With {KNOWN:,} earlier shapes of the same function, what a compile costs to explain is {median(took):.2f} ms (middle of {len(took)}), "
        f"{took[0]:.2f} ms at least."
    )


def cached_call() -> tuple[float, float]:
    """Microseconds of a call that JAX knows, with the hooks and without: the least of many short turns, since others use the machine, too."""
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    f, x = jax.jit(lambda a: a * 2), jnp.ones(4)

    def calls() -> None:
        for _ in range(CALLS):
            f(x)

    calls()
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(TURNS):
        staging.stay()
        ours.append(seconds(calls))
        staging.leave()
        theirs.append(seconds(calls))
    return min(ours) * 1e6 / CALLS, min(theirs) * 1e6 / CALLS


def explained() -> list[float]:
    """Milliseconds that a few compiles took to explain after many."""
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    spent = [0.0]

    def timed(call: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                spent[0] += time.perf_counter() - start

        return run

    f = jax.jit(lambda p: p["x"] * 2)
    batch: dict[str, Any] = {f"w{index}": np.ones(3, np.float32) for index in range(10)}
    staging.stay()
    found: list[float] = []
    try:
        for size in range(1, KNOWN + 1):
            f({**batch, "x": np.ones(size, np.float32)})
        causes: Any = staging.causes
        causes.making, causes.told, causes.put = timed(causes.making), timed(causes.told), timed(causes.put)
        for size in range(KNOWN + 1, KNOWN + 8):
            spent[0] = 0.0
            f({**batch, "x": np.ones(size, np.float32)})
            found.append(spent[0] * 1e3)
    finally:
        staging.leave()
    return found
