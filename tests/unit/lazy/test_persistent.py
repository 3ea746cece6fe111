"""What JAX's persistent compile cache says of a compile."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles, forget


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[None]:
    """JAX's persistent cache in a folder of its own, for programs of any size."""
    from jax.experimental.compilation_cache import compilation_cache

    wanted = {"jax_compilation_cache_dir": str(tmp_path), "jax_persistent_cache_min_compile_time_secs": 0.0, "jax_persistent_cache_min_entry_size_bytes": -1}
    before = {name: getattr(jax.config, name) for name in wanted}
    compilation_cache.reset_cache()
    for name, value in wanted.items():
        jax.config.update(name, value)
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def step() -> x10.Tensor:
    y = x10.numpy.tanh(x10.tensor(np.ones(7, np.float32))) * 3.0
    x10.barrier()
    return y


def test_without_a_cache_nothing_is_said() -> None:
    forget()
    assert [c.cache for c in compiles(step)] == ["none"]


def test_a_program_that_is_in_the_cache_is_a_hit(cache: None) -> None:
    """As after a restart of the kernel: the runtime has forgotten its programs, the cache has not."""
    forget()
    assert [c.cache for c in compiles(step)] == ["miss"]
    forget()
    assert [c.cache for c in compiles(step)] == ["hit"]


PROGRAM = """
import sys
import jax
import numpy as np
import x10_jupyter as x10
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
xnp = x10.numpy
x = x10.tensor(np.ones(3, np.float32))
with x10.capture() as capturing:
    kept = [xnp.sin(x), xnp.cos(x), xnp.tan(x) * 2.0, xnp.exp(x) + x]
    x10.barrier()
print([c.cache for c in capturing.capture.compiles])
"""


def test_another_process_finds_the_program(tmp_path: Path) -> None:
    """Python's hashes differ from process to process; an order of results that came from them missed the cache after a restart."""

    def run(seed: str) -> str:
        environment = {"PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu", "PYTHONPATH": ":".join(filter(None, sys.path))}
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert [run(seed) for seed in ("1", "2", "3")] == ["['miss']", "['hit']", "['hit']"]
