"""What JAX's persistent compile cache says of a compile."""

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
