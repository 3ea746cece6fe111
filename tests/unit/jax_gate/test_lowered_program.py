import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.monitoring as monitoring
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.jax_gate.lowered_program import constants, first_uses, frames, function_to_lower, is_same_data, operations, places, program_to_lower

SEEN: list[tuple[Any, Any]] = []


@pytest.fixture
def seen() -> Iterator[list[tuple[Any, Any]]]:
    """Each program that is lowered meanwhile, with the function it was made of."""

    def listen(event: str, value: float, **about: object) -> None:
        if event.endswith("jaxpr_to_mlir_module_duration"):
            SEEN.append((program_to_lower(sys._getframe(1)), function_to_lower(sys._getframe(1))))

    SEEN.clear()
    monitoring.register_scalar_listener(listen)
    yield SEEN
    monitoring.unregister_scalar_listener(listen)
    SEEN.clear()


def test_the_program_and_its_function_are_found_where_lowering_begins(seen: list[tuple[Any, Any]]) -> None:
    def step(x: Any) -> Any:
        return jnp.sin(x) * 0.375

    jax.jit(step)(np.ones(3, np.float32))
    ((program, function),) = seen
    assert function is step
    assert [name for _, name in operations(program)] == ["sin", "mul"]


def test_what_a_transformation_made_is_found_too(seen: list[tuple[Any, Any]]) -> None:
    step = jax.jit(lambda x: jnp.sin(x * 0.3125).sum())
    jax.grad(step)(np.ones(3, np.float32))
    assert seen
    assert all(program is not None for program, _ in seen)


def test_elsewhere_there_is_none() -> None:
    assert program_to_lower(sys._getframe()) is None
    assert function_to_lower(sys._getframe()) is None
    assert program_to_lower(None) is None
    assert function_to_lower(None) is None


def looped(x: Any) -> Any:
    for _ in range(50):
        x = jnp.sin(x) * 2.0
    return jax.lax.fori_loop(0, 3, lambda _, y: jnp.cos(y), x)


def test_the_same_operation_at_the_same_place_is_counted() -> None:
    program = jax.make_jaxpr(looped)(np.ones(3, np.float32))
    counted = places(program)
    assert sorted(times for times in counted.values() if times > 1) == [50, 50]
    assert "cos" in {name for _, name in counted}, "what stands in a loop's body counts once"
    mine = {(frame.function, frame.line) for place, name in counted if name == "sin" for frame in frames(place) if frame.file == __file__}
    assert (looped.__name__, looped.__code__.co_firstlineno + 2) in mine


def test_a_place_that_is_not_known_has_no_frames() -> None:
    assert frames(None) == []


def test_constants_are_the_users_own_arrays_with_the_line_that_uses_them() -> None:
    device, host = jnp.arange(1_000.0), np.arange(1_000.0, dtype=np.float32)

    def step(x: Any) -> Any:
        y = x * device
        return y * host

    program = jax.make_jaxpr(step)(np.ones(1_000, np.float32))
    held = constants(program)
    assert [[is_same_data(one, value) for value in (device, host, host.copy(), 5)] for one in held] == [
        [True, False, False, False],
        [False, True, False, False],
    ]
    lines = {which: frames(place)[0] for which, place in first_uses(program, {0, 1}).items()}
    assert set(lines) == {0, 1}
    assert first_uses(program, set()) == {}
