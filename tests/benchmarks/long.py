"""Long runs, each in a fresh process: ten thousand steps alike, ten thousand of which none is like another, and as many operations.

``python -m tests.benchmarks.long steady 10000``, ``… shapes 10000`` and ``… operations 8000`` print one such run as JSON.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import x10_jupyter as x10
from tests.benchmarks.loops import Lazy
from tests.benchmarks.models import MODELS
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.trie import COUNT

ROOT = Path(__file__).parents[2]
STEPS = 10_000


def resident_mib() -> float:
    """The memory that this process has now; 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def steady(steps: int) -> dict[str, Any]:
    """The small MLP, the same step each time."""
    training = Lazy(MODELS["small"]())
    for _ in range(100):
        training.step()
    training.wait()
    before = resident_mib()
    for _ in range(steps - 100):
        training.step()
    training.wait()
    return {"programs": len(STORE), "before_mib": before, "after_mib": resident_mib()}


def shapes(steps: int) -> dict[str, Any]:
    """Each step on data of another length."""
    causes: Counter[str] = Counter()
    memory = []
    for start in range(0, steps, 500):
        with x10.capture() as recorded:
            for length in range(start + 1, start + 501):
                _ = x10.numpy.tanh(x10.tensor(np.ones(length, np.float32)) + 1)
                x10.barrier()
        causes.update(each.cause.kind for each in recorded.capture.compiles)
        memory.append(round(resident_mib()))
    return {"causes": dict(causes), "memory_mib": memory, "programs_kept": len(STORE), "places_kept": COUNT.states}


def operations(count: int) -> dict[str, Any]:
    """Operations of which none is like another; nothing is kept, so that nothing is compiled."""
    x = x10.tensor(np.ones(8, np.float32))
    float(x10.lax.broadcast(x, (1,)).sum())
    before = resident_mib()
    memory = []
    for start in range(0, count, 1000):
        for i in range(start, start + 1000):
            x10.lax.broadcast(x, (i + 1,))
        x10.barrier()
        memory.append(round(resident_mib() - before))
    return {"memory_mib": memory, "places_kept": COUNT.states}


def run(kind: str, count: int = STEPS) -> dict[str, Any]:
    """One run in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "tests.benchmarks.long", kind, str(count)], cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def rows() -> Iterator[str]:
    """What was found, in words."""
    alike, unlike, distinct = run("steady"), run("shapes"), run("operations", 8_000)
    yield (
        f"{STEPS:,} steps alike: {alike['programs']} program; memory after 100 steps {alike['before_mib']:.0f} MiB, at the end {alike['after_mib']:.0f} MiB."
    )
    yield ""
    yield (
        f"{STEPS:,} steps, each with a new shape: causes {unlike['causes']}; {unlike['programs_kept']:,} programs and {unlike['places_kept']:,} places kept; "
        f"memory after each 500 steps, MiB: {', '.join(map(str, unlike['memory_mib']))}."
    )
    yield ""
    yield (
        f"8,000 operations of which none is like another: memory added after each 1,000, MiB: {', '.join(map(str, distinct['memory_mib']))}; "
        f"{distinct['places_kept']:,} places kept."
    )


if __name__ == "__main__":
    print(json.dumps({"steady": steady, "shapes": shapes, "operations": operations}[sys.argv[1]](int(sys.argv[2]))))
