"""The public names, and how the extension is loaded."""

import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import x10_jupyter as x10
from x10_jupyter.jax_gate.config_watch import ConfigWatch
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.local import Watch


def test_every_public_name_is_there() -> None:
    names = {"LazyTensorBarrier", "Tensor", "barrier", "capture", "config", "fft", "grad", "lax", "lazy", "linalg", "nn", "numpy", "random", "tensor"}
    assert names | {"load_capture", "value_and_grad"} <= set(dir(x10))
    assert all(getattr(x10, name) is not None for name in names)
    assert all(isinstance(getattr(x10, name), ModuleType) for name in ("fft", "lax", "linalg", "nn", "numpy", "random"))


def test_lazy_is_the_function_though_a_package_has_that_name() -> None:
    from x10_jupyter.lazy import core

    assert core.__name__ == "x10_jupyter.lazy.core"
    assert isinstance(x10.lazy(lambda x: x), Lazy)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"^module 'x10_jupyter' has no attribute 'nothing'$"):
        _ = x10.nothing


def test_importing_it_costs_no_notebook_and_no_jax() -> None:
    code = "import sys, x10_jupyter; print([name for name in ('jax', 'IPython') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("again", ["%reload_ext x10_jupyter", "%load_ext x10_jupyter"])
def test_the_extension_can_be_loaded_again_and_taken_out(shell: InteractiveShell, again: str) -> None:
    def run(source: str) -> Any:
        done = shell.run_cell(source)
        done.raise_error()
        return done.result

    run("%load_ext x10_jupyter")
    run(again)
    run("import x10_jupyter as x10")
    assert run("callable(x10.lazy)") is True
    assert "x10trace" in shell.magics_manager.magics["cell"]
    assert run("float(x10.lazy(lambda x: x * 2)(x10.tensor(2.0)))") == 4
    assert Watch.is_on
    run("%unload_ext x10_jupyter")
    assert "x10trace" not in shell.magics_manager.magics["cell"]
    # the hooks in JAX are out too: the runtime stayed there when only the shell was cleaned
    assert not Watch.is_on
    assert ConfigWatch.installed == ()
    with pytest.raises(TypeError):
        run("import jax.numpy; jax.numpy.sin(x10.tensor(2.0))")
    assert run("float(x10.tensor(2.0) * 3)") == 6
    run("%load_ext x10_jupyter")
    assert run("float(jax.numpy.abs(x10.tensor(-2.0)))") == 2
    run("%unload_ext x10_jupyter")
