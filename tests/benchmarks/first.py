"""The first step, compile included, and the memory of a whole run: each measured in fresh processes that take turns."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.peer import started

ROOT = Path(__file__).parents[2]
MODELS = {"resnet32": 5, "resnet128": 3, "transformer": 3, "mlp": 3}
"""How many pairs of processes each model gets."""
STEPS = 5


def fresh(loop: str, model: str) -> dict[str, Any]:
    """A process that trains for some steps."""
    done = subprocess.run([sys.executable, "-m", "tests.benchmarks.fresh", loop, model, str(STEPS)], cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def peer_first(model: str, missing: dict[str, str]) -> tuple[float, float, int] | None:
    """Seconds of PyTorch/XLA's first step and of its first two, with its own optimizer, and the programs that it compiled by the end of the third."""
    peer = started("torch_xla", missing)
    if peer is None:
        return None
    peer.ask(job="train", model=model)
    start = time.perf_counter()
    peer.ask(job="go", times=1)
    first = time.perf_counter() - start
    peer.ask(job="go", times=1)
    two = time.perf_counter() - start
    compiles = peer.ask(job="go", times=1)["compiles"]
    peer.close()
    return first, two, compiles


def rows(missing: dict[str, str]) -> Iterator[str]:
    """The table."""
    yield "Gradient descent with momentum. PyTorch/XLA's optimizer makes its state in the first step, so the second is another program."
    yield ""
    yield (
        "| fresh process | first step, lazy | `jax.jit` | ratio | PyTorch/XLA | ratio | first two steps, lazy | PyTorch/XLA | ratio "
        "| programs, lazy | PyTorch/XLA | peak memory beside `jax.jit` | live buffers beside `jax.jit` |"
    )
    yield f"| --- {'| ---: ' * 12}|"
    for model, pairs in MODELS.items():
        found = [(fresh("lazy", model), fresh("jit", model)) for _ in range(pairs)]
        theirs = peer_first(model, missing)
        ours, two = [median(a[what] for a, _ in found) for what in ("first_s", "two_s")]
        first, both, compiles = ("missing", "missing"), ("missing", "missing"), "missing"
        if theirs is not None:
            first, both, compiles = beside(ours, theirs[0]), beside(two, theirs[1]), str(theirs[2])
        cells = [
            model, f"{ours:.2f} s", f"{median(b['first_s'] for _, b in found):.2f} s", ratio(found, "first_s"), *first, f"{two:.2f} s", *both,
            str(found[0][0]["compiles"]), compiles, ratio(found, "peak_bytes"), ratio(found, "live_bytes"),
        ]  # fmt: skip
        yield "| " + " | ".join(cells) + " |"


def beside(ours: float, theirs: float) -> tuple[str, str]:
    """A peer's seconds, and ours as a part of them."""
    return f"{theirs:.2f} s", f"{ours / theirs:.2f}"


def ratio(found: list[tuple[dict[str, Any], dict[str, Any]]], what: str) -> str:
    """The median of the pairs' ratios."""
    return f"{median(a[what] / b[what] for a, b in found):.3f}"
