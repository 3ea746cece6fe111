"""What JAX compiled when nobody listened."""

import gc
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from listening import Heard
from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.jax_gate.known_programs import has_forgotten
from x10_jupyter.observe.causes import CLEARED, UNHEARD
from x10_jupyter.observe.staging import Staging
from x10_jupyter.records.compile import from_events


@pytest.fixture
def heard() -> Iterator[Heard]:
    with Heard(Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())) as made:
        yield made


def test_what_was_compiled_while_nobody_listened_is_learnt_of_jax() -> None:
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    f = jax.jit(lambda x: x * 0.23828125)
    f(np.ones(3, np.float32))
    jax.jit(lambda x: x * 0.24609375)(np.ones(2, np.float32))
    gc.collect()
    with Heard(staging) as heard:
        f(np.ones(4, np.float32))
        jax.jit(lambda x: x * 0.25390625)(np.ones(3, np.float32))
    f(np.ones(5, np.float32))
    with Heard(staging) as later:
        f(jax.device_put(np.ones(5, np.float32), jax.devices()[1]))
    (again, fresh), (moved,) = from_events(heard.events), from_events(later.events)
    assert (again.cause.kind, again.cause.old, again.cause.new) == ("shape", "f32[3]", "f32[4]")
    assert (fresh.cause.kind, fresh.cause.where) == ("unknown", UNHEARD), "one of the same code may be gone"
    assert (moved.cause.kind, moved.cause.where, moved.cause.old, moved.cause.new) == ("placement", "x", "", "CPU:1")


def test_of_code_that_ran_before_the_extension_was_loaded_the_first_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    jax.jit(lambda x: x - 0.2578125)(np.ones(3, np.float32))
    for is_old, kind in ((True, "unknown"), (False, "first")):
        if is_old:
            monkeypatch.setitem(linecache.cache, __file__, (0, None, [], __file__))
        else:
            monkeypatch.delitem(linecache.cache, __file__, raising=False)
        staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
        staging.stay()
        try:
            with Heard(staging) as heard:
                (lambda f: f(np.ones(3, np.float32)))(jax.jit(lambda x: x - 0.26953125))
            assert [one.cause.kind for one in from_events(heard.events)] == [kind]
        finally:
            staging.leave()


def test_what_was_compiled_before_somebody_listened_is_known_as_far_as_jax_tells(heard: Heard) -> None:
    @jax.jit
    def part(x: Any) -> Any:
        return (x * 0.0625).sum()

    loss, whole = jax.jit(lambda x: jnp.sin(x * 0.0625).sum()), jax.jit(lambda x: part(x) * 2)
    three, four = (jnp.asarray(np.ones(size, np.float32)) for size in (3, 4))
    heard.staging.events.remove(heard.sink)
    whole(three)
    jax.grad(loss)(three)
    jnp.ones((3, 41))
    heard.staging.events.add(heard.sink)
    part(three)
    jax.grad(loss)(four)
    jnp.ones((4, 41))
    found = {(one.function, one.cause.kind, one.cause.where, one.cause.old, one.cause.new) for one in from_events(heard.events)}
    assert ("part", "first", "", "", "") in found, "it was a part of another only"
    assert {one for one in found if one[0] == "<lambda>"} == {("<lambda>", "shape", "x", "f32[3]", "f32[4]")}, "both ways"
    assert ("broadcast_in_dim", "shape", "shape", "(3, 41)", "(4, 41)") in found


@jax.jit
def step(w: Any, batch: dict[str, Any]) -> Any:
    return (batch["x"] * w).sum()


@jax.jit
def mapped(a: Any) -> Any:
    return (a * 0.1171875).sum()


@jax.jit
def never(a: Any) -> Any:
    return a - 0.1171875


def body(carry: Any, x: Any) -> Any:
    return carry + x * 0.1171875, carry


def scan(length: int) -> None:
    jax.lax.scan(body, 0.0, np.ones(length, np.float32))


def batch(size: int) -> dict[str, Any]:
    return {"x": np.ones(size, np.float32), "y": np.ones(size, np.int32)}


def told(staging: Staging, call: Callable[[], Any]) -> tuple[str, str, str, str]:
    with Heard(staging) as heard:
        call()
    why = from_events(heard.events)[-1].cause
    return why.kind, why.where, why.old, why.new


def test_what_jax_dropped_or_mapped_is_found_in_its_caches_all_the_same() -> None:
    step(2.0, batch(3))
    jax.vmap(mapped)(np.ones((3, 41), np.float32))
    scan(3)
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    assert told(staging, lambda: step(2.0, batch(4))) == ("shape", "batch['x']", "f32[3]", "f32[4]")
    assert told(staging, lambda: jax.vmap(mapped)(np.ones((5, 41), np.float32))) == ("shape", "a", "f32[3,41]", "f32[5,41]")
    assert told(staging, lambda: mapped(np.ones(41, np.float32))) == ("transform", "vmap", "vmap", "called as it is")
    assert told(staging, lambda: scan(4))[::3] == ("shape", "f32[4]")
    assert told(staging, lambda: never(1.0)) == ("first", "", "", "")


def test_a_function_made_in_another_is_the_first_if_nothing_that_was_compiled_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    for gone, expected in ((0, "first"), (1, "unknown")):
        staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
        monkeypatch.setattr("x10_jupyter.observe.unheard.programs_gone", lambda gone=gone: gone)

        def made_here(a: Any, gone: int = gone) -> Any:
            return a * (0.1484375 + gone)

        assert told(staging, lambda f=made_here: jax.jit(f)(1.0))[0] == expected


def test_what_was_forgotten_meanwhile_is_not_known_to_be_the_first() -> None:
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    jax.clear_caches()
    jnp.ones((3, 43))
    assert told(staging, lambda: never(np.ones(3, np.float32))) == ("unknown", CLEARED, "", "")
    jax.clear_caches()
    assert has_forgotten()
    assert told(Staging(MonotonicClock(), ThreadCpuClock(), QueueClock()), lambda: never(np.ones(4, np.float32)))[:2] == ("unknown", CLEARED), "before that"
