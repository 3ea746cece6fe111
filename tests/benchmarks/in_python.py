"""Some of the measurements once more with the runtime in Python, where it otherwise runs compiled."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from x10_jupyter.lazy.core import IS_COMPILED

ROOT = Path(__file__).parents[2]


def rows(*parts: str) -> Iterator[str]:
    """The tables of these parts."""
    if not IS_COMPILED:
        yield "The runtime is not compiled here."
        return
    yield "The same with the runtime in Python (`XLA_COMPILED_RECORDING=0`):"
    yield ""
    environment = {**os.environ, "XLA_COMPILED_RECORDING": "0"}
    done = subprocess.run([sys.executable, "-m", "tests.benchmarks", *parts], cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    yield done.stdout.strip()
