"""Chains of element-wise operations: what recording and cutting them costs beside JAX eager."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import jax
import numpy as np

import x10_jupyter as x10
from tests.benchmarks.peer import Peer, started
from tests.benchmarks.timing import Pair, old_collections, paired

DATA = np.full((8, 8), 1e-3, np.float32)


def tensors(x: Any, b: Any, count: int) -> Any:
    """Both operands are tensors."""
    for _ in range(count // 2):
        x = x + b
        x = x * b
    return x


def numbers(x: Any, b: float, count: int) -> Any:
    """One operand is a number: a literal or a variable."""
    for _ in range(count // 2):
        x = x * 0.5
        x = x + b
    return x


def measure(chain: Callable[[Any, Any, int], Any], count: int, operands: tuple[Any, Any]) -> tuple[Pair, int]:
    """Trace and cut, without the run, beside JAX eager; and how often the collector went through everything old meanwhile."""
    ours, theirs = operands
    start, eager = x10.tensor(DATA), jax.numpy.asarray(DATA)
    kept: list[Any] = [None]

    def lazily() -> None:
        kept[0] = chain(start, ours, count)
        x10.barrier()

    def eagerly() -> None:
        kept[0] = chain(eager, theirs, count)

    before = old_collections()
    pair = paired(lazily, eagerly, count=count, settle=lambda: kept[0].block_until_ready())
    return pair, old_collections() - before


def peer_ratio(ours_us: float, peer: Peer | None, count: int) -> str:
    """Our time beside the peer's, which is the median of as many runs; both in microseconds an operation."""
    if peer is None:
        return "missing"
    peer.ask(job="chain", count=count)
    peer.ask(job="go", times=3)
    theirs = median(peer.ask(job="go", times=15)["took"]) * 1e6 / count
    return f"{ours_us / theirs:.3f} of {theirs:.1f}"


def rows(missing: dict[str, str]) -> Iterator[str]:
    """The table."""
    xla, mlx = [started(name, missing) for name in ("torch_xla", "mlx")]
    yield (
        "| chain of f32[8,8] | operations | trace and cut, µs per op | JAX eager, µs per op | ratio | beside PyTorch/XLA | beside MLX | "
        "passes of the collector over old objects |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for count in (1000, 5000):
        for name, chain, operands in (
            ("`x = x + b; x = x * b`", tensors, (x10.tensor(DATA), jax.numpy.asarray(DATA))),
            ("`x = x * 0.5; x = x + lr`", numbers, (0.1, 0.1)),
        ):
            pair, passes = measure(chain, count, operands)
            beside = [peer_ratio(pair.ours_us, peer, count) if chain is tensors else "" for peer in (xla, mlx)]
            yield f"| {name} | {count:,} | {pair.ours_us:.2f} | {pair.theirs_us:.1f} | {pair.ratio:.3f} | {beside[0]} | {beside[1]} | {passes} |"
    for peer in (xla, mlx):
        if peer is not None:
            peer.close()
