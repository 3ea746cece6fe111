import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.monitoring as monitoring
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.jax_gate.made_program import Loaded, Lowered, loaded, lowered

SEEN: list[Any] = []


@pytest.fixture
def seen() -> Iterator[list[Any]]:
    """What is lowered and compiled meanwhile."""

    def listen(event: str, duration_secs: float, **about: object) -> None:
        if event.endswith("jaxpr_to_mlir_module_duration"):
            SEEN.append(lowered(sys._getframe()))
        elif event.endswith("backend_compile_duration"):
            SEEN.append(loaded(sys._getframe()))

    SEEN.clear()
    monitoring.register_event_duration_secs_listener(listen)
    yield SEEN
    monitoring.unregister_event_duration_listener(listen)
    SEEN.clear()


def test_what_was_lowered_and_compiled_is_found_where_that_ends(seen: list[Any]) -> None:
    jax.jit(lambda x: jnp.sin(x) * 0.376)(np.ones(3, np.float32))
    first, second = seen
    assert isinstance(first, Lowered)
    assert [equation.primitive.name for equation in first.jaxpr.eqns] == ["sin", "mul"]
    assert isinstance(second, Loaded)
    assert second.module is first.module
    assert "sine" in second.executable.hlo_modules()[0].to_string()


def test_what_is_compiled_ahead_of_time_is_found_too(seen: list[Any]) -> None:
    jax.jit(lambda x: jnp.sin(x) * 0.377).lower(np.ones(3, np.float32)).compile()
    assert [type(each) for each in seen] == [Lowered, Loaded]
    assert seen[1].module is seen[0].module


def test_elsewhere_there_is_none() -> None:
    for frame in (sys._getframe(), None):
        assert lowered(frame) is None
        assert loaded(frame) is None
