"""The runtime compiled and in Python: which of both runs, and that both do the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import x10_jupyter as x10
from x10_jupyter.base.compiled import folder
from x10_jupyter.base.errors import UsageError

LAZY = Path(x10.__file__).parent / "lazy"
WHICH = "from x10_jupyter.lazy.core import IS_COMPILED; print(IS_COMPILED)"
TRAIN = """
import numpy as np
import x10_jupyter as x10
from x10_jupyter.lazy.core import IS_COMPILED
from x10_jupyter.lazy.finding import STORE

def loss(w, x):
    return (x10.nn.relu(x10.numpy.sum(x @ w, axis=-1)) ** 2).mean()

rng = np.random.default_rng(0)
w, x = x10.tensor(rng.normal(size=(4, 4))), x10.tensor(rng.normal(size=(3, 4)))
for _ in range(5):
    value, gradient = x10.value_and_grad(loss)(w, x)
    w = w - 0.1 * gradient
    x10.barrier()
print(np.asarray(w).tobytes().hex(), float(value).hex(), len(STORE))
"""


def run(code: str, compiled: str) -> str:
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "XLA_COMPILED_RECORDING": compiled}, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_it_is_python_where_it_is_switched_off() -> None:
    assert run(WHICH, "0") == "False"


def test_it_is_compiled_where_that_was_built() -> None:
    assert run(WHICH, "1") == str(folder(LAZY).exists())


def test_both_do_the_same() -> None:
    told = run(TRAIN, "1")
    assert told == run(TRAIN, "0")
    assert told.endswith(" 1")


def test_it_cannot_be_changed_any_more() -> None:
    with pytest.raises(UsageError, match="settled when it is imported"):
        x10.config.update(compiled_recording=not x10.config.compiled_recording)
