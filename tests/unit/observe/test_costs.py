from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from looked_at import compiled
from x10_jupyter.observe.costs import cost_of, memory_of
from x10_jupyter.records.program import Cost


def function(w: Any, x: Any) -> Any:
    return jnp.tanh(x @ w), jnp.sum(x)


def test_they_are_what_jax_tells_of_a_program_that_is_compiled_ahead_of_time() -> None:
    arguments = np.ones((64, 32), np.float32), np.ones((128, 64), np.float32)
    made = compiled(function, *arguments)
    found = made.made.executable()
    assert found is not None
    ahead = jax.jit(function).lower(*arguments).compile()
    theirs: Any = ahead.memory_analysis()
    expected: Any = ahead.cost_analysis()
    cost, memory = cost_of(found.loaded), memory_of(found.loaded)
    assert cost is not None
    assert cost == Cost(flops=expected["flops"], transcendentals=expected["transcendentals"], bytes_accessed=expected["bytes accessed"])
    assert cost.flops is not None
    assert cost.flops >= 2 * 128 * 64 * 32
    assert cost.transcendentals == 128 * 32
    assert memory is not None
    assert (memory.argument_bytes, memory.temporary_bytes) == (theirs.argument_size_in_bytes, theirs.temp_size_in_bytes)
    assert memory.argument_bytes == 4 * (64 * 32 + 128 * 64)
    assert memory.output_bytes >= 4 * (128 * 32 + 1)


def test_what_is_not_told_is_not_known() -> None:
    def fails() -> None:
        raise RuntimeError

    def returning(value: object) -> Any:
        return SimpleNamespace(cost_analysis=lambda: value)

    assert cost_of(SimpleNamespace(cost_analysis=fails)) is None
    assert cost_of(returning(None)) is None
    assert cost_of(returning({"flops": -1.0, "bytes accessed": float("inf")})) == Cost(flops=None, transcendentals=None, bytes_accessed=None)
    assert cost_of(returning([{"flops": 12.0}])) == Cost(flops=12, transcendentals=None, bytes_accessed=None)
    assert memory_of(SimpleNamespace(get_compiled_memory_stats=fails)) is None
    assert memory_of(SimpleNamespace(get_compiled_memory_stats=lambda: None)) is None
