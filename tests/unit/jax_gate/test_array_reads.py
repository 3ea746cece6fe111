import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tracebacks import frames_of_ours
from x10_jupyter.base.clock import MonotonicClock
from x10_jupyter.jax_gate.array_reads import ArrayReads, are_ready, wait_for_all

Told = list[tuple[str, int]]


@pytest.fixture
def told() -> Iterator[Told]:
    """What goes through the functions: the name of each call, and of how many arrays."""
    found: Told = []

    def around(name: str, arrays: Sequence[jax.Array], wait: Callable[[], object], call: Callable[[], Any]) -> Any:
        found.append((name, len(arrays)))
        wait()
        return call()

    hooks = ArrayReads()
    hooks.replace(around)
    try:
        yield found
    finally:
        hooks.restore()


READS: dict[str, Callable[[Any], object]] = {
    "float": float,
    "int": int,
    "bool": bool,
    "format": lambda x: f"{x:.3f}",
    "str": str,
    "repr": repr,
    "tolist": lambda x: x.tolist(),
    "tobytes": lambda x: x.tobytes(),
    "item": lambda x: x.item(),
    "device_get": jax.device_get,
    "array": lambda x: x.__array__(),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "block": lambda x: x.block_until_ready(),
    "jax.block": jax.block_until_ready,
}


@pytest.mark.parametrize("name", READS)
def test_each_read_goes_through_them_with_its_result(name: str, told: Told) -> None:
    result = READS[name](jnp.float32(1.25) * 3)
    assert [count for _, count in told][:1] == [1]
    assert np.all(result == READS[name](np.float32(3.75))) if name in {"float", "int", "bool", "item", "tolist"} else result is not None


def test_several_at_once_are_one_wait(told: Told) -> None:
    arrays = [jnp.ones(3), jnp.zeros(2)]
    assert jax.block_until_ready({"a": arrays[0], "b": arrays[1], "c": 1})["c"] == 1
    assert told == [("block_until_ready", 2)]


def test_errors_are_jaxs_own(told: Told) -> None:
    gone = jnp.ones(3)
    gone.delete()
    with pytest.raises(RuntimeError, match="deleted"):
        gone.tolist()
    with pytest.raises(ValueError, match="truth value"):
        bool(jnp.ones(3))
    with pytest.raises(ValueError, match="indices"):
        jnp.ones(3).item(1, 2, 3, 4)


def test_they_are_put_back_as_they_were() -> None:
    hooks = ArrayReads()
    before = {name: vars(hooks.cls)[name] for name in ("_value", "item", "block_until_ready")}
    several = hooks.client.batched_block_until_ready
    hooks.replace(lambda name, arrays, wait, call: call())
    assert all(vars(hooks.cls)[name] is not value for name, value in before.items())
    hooks.restore()
    assert all(vars(hooks.cls)[name] is value for name, value in before.items())
    assert hooks.client.batched_block_until_ready is several


def test_a_deleted_array_is_nothing_to_wait_for() -> None:
    gone, here = jnp.ones(3).block_until_ready(), jnp.zeros(3).block_until_ready()
    gone.delete()
    assert are_ready([gone, here, gone])


def test_what_is_computed_is_not_ready() -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 30, lambda _, a: jnp.sin(a @ x), x).sum())
    x = jnp.ones((300, 300))
    slow(x).block_until_ready()
    result = slow(x)
    assert not are_ready([x, result])
    assert are_ready([result.block_until_ready()])


@pytest.mark.parametrize("read", [float, lambda x: x.item(), np.asarray, lambda x: x.block_until_ready(), lambda x: jax.block_until_ready([x, x])])
def test_the_traceback_of_what_cannot_be_read_has_the_users_line_and_none_of_ours(told: Told, read: Any) -> None:
    deleted = jnp.ones(())
    deleted.delete()
    with pytest.raises(RuntimeError, match="deleted") as caught:
        read(deleted)
    assert told
    assert frames_of_ours(caught.value) == []


def test_to_wait_for_all_tells_when_the_last_that_was_pending_was_there() -> None:
    clock, x = MonotonicClock(), jnp.ones((600, 600))
    slow: Any = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda _, a: jnp.sin(a @ x), x))
    slow(x).block_until_ready()
    wait_for_all(clock)
    assert wait_for_all(clock) is None, "all are there"
    start_ns, result = clock.now_ns(), slow(x)
    ended_ns = wait_for_all(clock)
    assert ended_ns is not None
    assert start_ns < ended_ns <= clock.now_ns()
    assert result.is_ready()
