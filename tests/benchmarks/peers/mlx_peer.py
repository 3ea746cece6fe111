"""MLX as a peer: runs in an environment of its own, reads one job a line as JSON, and answers each with one line."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import mlx.core as mx


def chain(count: int) -> Callable[[], float]:
    """Returns a function that records and evaluates a chain, and says how long that took."""
    x, b = mx.full((8, 8), 1e-3), mx.full((8, 8), 1e-3)
    mx.eval(x, b)

    def once() -> float:
        start = time.perf_counter()
        y = x
        for _ in range(count // 2):
            y = y + b
            y = y * b
        mx.eval(y)
        return time.perf_counter() - start

    return once


def main() -> None:
    state: dict[str, Any] = {}
    print(json.dumps({"version": mx.__version__}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        if job["job"] == "chain":
            state["once"] = chain(job["count"])
            print("{}", flush=True)
        else:
            print(json.dumps({"took": [state["once"]() for _ in range(job["times"])]}), flush=True)


main()
