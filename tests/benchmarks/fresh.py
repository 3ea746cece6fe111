"""What a process costs that trains a model from the start: ``python -m tests.benchmarks.fresh lazy resnet32 10`` prints it as JSON."""

import json
import sys
from pathlib import Path

import jax

import x10_jupyter as x10
from tests.benchmarks.models import MODELS
from tests.benchmarks.momentum import Jitted, Lazy, first_two_s


def peak_bytes() -> int:
    """The most memory that this process has had so far; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def main(loop: str, model: str, steps: int) -> None:
    """Train and report."""
    training = {"lazy": Lazy, "jit": Jitted}[loop](MODELS[model]())
    jax.block_until_ready(jax.tree.leaves(training.params) if loop == "jit" else training.inputs.held)
    with x10.capture() as recorded:
        first_s, two_s = first_two_s(training)
    for _ in range(steps - 2):
        training.step()
        training.wait()
    live = sum(array.nbytes for array in jax.live_arrays())
    compiles = len(recorded.capture.compiles) if loop == "lazy" else 1
    found = {"first_s": first_s, "two_s": two_s, "peak_bytes": peak_bytes(), "live_bytes": live, "compiles": compiles, "loss": float(training.loss)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
