"""The runtime compiled and in Python: which of both runs, and that both do the same."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import x10_jupyter as x10
from x10_jupyter.base.compiled import MODULES, folder, is_built
from x10_jupyter.base.errors import UsageError

LAZY = Path(x10.__file__).parent / "lazy"
WHICH = """
import sys
import x10_jupyter as x10
from x10_jupyter.base.compiled import MODULES
from x10_jupyter.lazy import api
print(*[not sys.modules[f"x10_jupyter.lazy.{name}"].__file__.endswith(".py") for name in MODULES], *x10.config.entries("compiled_recording")[0][2:4])
"""
"""Of each module, and by the setting, which says so where a user looks."""
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


def process(code: str, at: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A fresh process that ran, in a folder."""
    cleared = {name: value for name, value in os.environ.items() if name != "XLA_COMPILED_RECORDING"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=at, env={**cleared, **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return done


def run(code: str, compiled: str) -> str:
    """What a fresh process prints."""
    done = process(code, XLA_COMPILED_RECORDING=compiled)
    assert done.stderr == ""
    return done.stdout.strip()


def all_of(value: object, origin: str) -> str:
    """What is printed where each module runs so, and the setting says it."""
    return " ".join([*[str(value)] * (len(MODULES) + 1), origin])


def test_it_is_python_where_it_is_switched_off() -> None:
    assert run(WHICH, "0") == all_of(False, "environment")


def test_it_is_compiled_where_that_was_built() -> None:
    built = is_built(folder(LAZY))
    assert run(WHICH, "1") == all_of(built, "environment" if built else "build")


@pytest.mark.skipif(not is_built(folder(LAZY)), reason="the runtime is not compiled here")
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: os.truncate(file, 0), "cannot be loaded: "),
        (lambda file: os.truncate(file, file.stat().st_size // 3), "cannot be loaded: "),
        (lambda file: file.write_bytes(b"something else"), "cannot be loaded: "),
        (lambda file: file.unlink(), "is missing"),
    ],
    ids=["empty", "truncated", "else", "missing"],
)
def test_where_one_module_is_damaged_all_run_in_python_and_the_user_is_told(tmp_path: Path, damage: Callable[[Path], object], said: str) -> None:
    shutil.copytree(LAZY.parent, tmp_path / "x10_jupyter")
    file = folder(tmp_path / "x10_jupyter/lazy") / f"operators{EXTENSION_SUFFIXES[0]}"
    damage(file)
    done = process(WHICH, tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stdout.strip() == all_of(False, "build")
    assert done.stderr.count("Warning") == 1
    assert done.stderr.startswith("<string>:3: RuntimeWarning: The runtime is damaged where it is compiled, and so runs in Python")
    assert f"{file} {said}" in done.stderr
    assert "`pip install -e .` in a checkout" in done.stderr


def test_both_do_the_same() -> None:
    told = run(TRAIN, "1")
    assert told == run(TRAIN, "0")
    assert told.endswith(" 1")


def test_it_cannot_be_changed_any_more() -> None:
    with pytest.raises(UsageError, match="settled when it is imported"):
        x10.config.update(compiled_recording=not x10.config.compiled_recording)
