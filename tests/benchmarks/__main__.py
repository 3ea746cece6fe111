"""Measures what the lazy runtime costs and writes RESULTS.md beside this file: ``python -m tests.benchmarks``."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import calls, causes, chains, first, in_python, live, logs, long, machine, memory, metrics, ops, steps, views
from tests.benchmarks.peer import KINDS

RESULTS = Path(__file__).with_name("RESULTS.md")
METHOD = """Each figure is the median of pairs taken by turns in one process: ours, JAX, ours, JAX, … A ratio is the median of the pairs' ratios. Peers run in
processes and environments of their own, right after ours. `Trace and cut` is the time until `barrier()` returns, when the program is known and has been
launched; the run itself is waited for outside the time, but for MLX, where evaluating is part of it. `Recording` is the time until `barrier()` is called,
while nothing runs; PyTorch/XLA's is the time of forward, backward and update until `sync()`. Steps are launched one after the other, as in a training
loop, and the last one is waited for. PyTorch's eager convolutions are oneDNN's, which beat those of XLA's CPU back end: that gap is XLA's, and no less
with `jax.jit`."""
PARTS: dict[str, Callable[[dict[str, str]], Iterator[str]]] = {
    "chains": chains.rows,
    "steps": steps.rows,
    "first": first.rows,
    "long": lambda _: long.rows(),
    "calls": lambda _: calls.rows(),
    "in_python": lambda _: in_python.rows("chains", "calls"),
    "causes": lambda _: causes.rows(),
    "logs": lambda _: logs.rows(),
    "metrics": lambda _: metrics.rows(),
    "live": lambda _: live.rows(),
    "ops": lambda _: ops.rows(),
    "memory": lambda _: memory.rows(),
    "views": lambda _: views.rows(),
}


def main(wanted: list[str]) -> None:
    """Run everything, or the parts that are named, print it and, if it is all, write it down."""
    missing: dict[str, str] = {}
    parts = ["# Benchmarks", machine.description(), METHOD]
    for name in wanted or PARTS:
        parts.append("\n".join(PARTS[name](missing)))
        print(parts[-1], end="\n\n", flush=True)
    parts += [f"{KINDS[name].name} is missing: {why}" for name, why in missing.items()]
    if not wanted:
        RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


main(sys.argv[1:])
