import gc
import os
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.monitoring as monitoring
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import monitoring as private

import x10_jupyter as x10
from listening import Heard
from x10_jupyter.base.clock import ManualClock, MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.jax_gate import untold_traces
from x10_jupyter.observe import staging as staging_module
from x10_jupyter.observe.guard import ERRORS
from x10_jupyter.observe.staging import Staging
from x10_jupyter.records.compile import from_events

TRACE, LOWER, COMPILE = [f"/jax/core/compile/{name}_duration" for name in ("jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile")]
HIT = "/jax/compilation_cache/cache_hits"


@pytest.fixture
def heard() -> Iterator[Heard]:
    with Heard(Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())) as made:
        yield made


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_000)


@pytest.fixture
def wound(clock: ManualClock) -> Iterator[Heard]:
    """One whose clock a test moves."""
    with Heard(Staging(clock, clock, clock)) as made:
        yield made


def inner(x: Any) -> Any:
    return jnp.where(x > 0, x, 0) * 0.125


def test_a_first_call_is_traced_lowered_and_compiled_and_a_second_tells_nothing(heard: Heard) -> None:
    x = np.ones(5, np.float32)
    fresh = jax.jit(lambda x: inner(x).sum())
    fresh(x)
    assert heard.told == [("trace", "<lambda>"), ("lower", "<lambda>"), ("compile", "<lambda>")]
    assert all(event.thread == threading.get_ident() and event.start_ns < event.end_ns for event in heard.events)
    assert all(event.site is not None and Path(event.site.file).name == "test_staging.py" for event in heard.events)
    assert [event.cause and event.cause.kind for event in heard.events[:2]] == [None, None]
    assert heard.events[2].cause is not None
    assert all(event.definition_site == heard.events[0].definition_site is not None for event in heard.events)
    fresh(x)
    assert len(heard.events) == 3
    (found,) = from_events(heard.events)
    assert (found.function, found.maker, found.is_recompile, set(found.phases)) == ("<lambda>", "jax", False, {"trace", "lower", "compile"})


def test_a_new_shape_is_why_it_compiles_again(heard: Heard) -> None:
    fresh = jax.jit(lambda x: inner(x).max())
    for size in (3, 4):
        fresh(np.ones(size, np.float32))
    why = from_events(heard.events)[1].cause
    assert (why.kind, why.where, why.old, why.new) == ("shape", "x", "f32[3]", "f32[4]")


def test_a_function_that_fails_while_it_is_traced_fails_as_without(heard: Heard) -> None:
    @jax.jit
    def bad(_: Any) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bad(np.ones(3))
    assert heard.told == [("trace", "bad")]
    assert from_events(heard.events) == ()
    jax.jit(lambda x: x + 0.25)(np.ones(3, np.float32))
    assert heard.told[1:] == [("trace", "<lambda>"), ("lower", "<lambda>"), ("compile", "<lambda>")]


def test_what_the_persistent_cache_has_is_read(tmp_path: Path, heard: Heard) -> None:
    from jax.experimental.compilation_cache.compilation_cache import reset_cache

    before = {name: getattr(jax.config, name) for name in ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")}
    try:
        jax.config.update("jax_compilation_cache_dir", os.fspath(tmp_path))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        reset_cache()
        for _ in range(2):
            jax.jit(lambda x: inner(x) - 17.5)(np.ones(7, np.float32))
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
        reset_cache()
    assert [event.cache for event in heard.events if event.phase == "compile"] == ["miss", "hit"]
    assert [event.cache for event in heard.events if event.phase != "compile"] == ["none"] * (len(heard.events) - 2)


def begin(event: str, name: str) -> None:
    monitoring.record_scalar(event, 0.0, fun_name=name)


def end(event: str, name: str, seconds: float = 0.0) -> None:
    monitoring.record_event_duration_secs(event, seconds, fun_name=name)


def test_times_are_those_of_the_clock(wound: Heard, clock: ManualClock) -> None:
    begin(COMPILE, "jit(step)")
    clock.advance(70)
    end(COMPILE, "jit(step)")
    (event,) = wound.events
    assert (event.start_ns, event.end_ns, event.cpu_ns, event.queued_ns, event.function, event.cache) == (1_000, 1_070, 70, 70, "step", "none")


def test_a_phase_within_the_same_phase_is_a_part_of_it_and_another_is_not(wound: Heard, clock: ManualClock) -> None:
    begin(TRACE, "outer")
    begin(TRACE, "inner")
    end(TRACE, "inner")
    begin(COMPILE, "jit(constant)")
    monitoring.record_event(HIT)
    clock.advance(5)
    end(COMPILE, "jit(constant)")
    end(TRACE, "outer")
    assert wound.told == [("compile", "constant"), ("trace", "outer")]
    assert [event.cache for event in wound.events] == ["hit", "none"]


def test_what_began_and_never_ended_is_dropped(wound: Heard) -> None:
    begin(TRACE, "outer")
    begin(LOWER, "jit(lost)")
    end(TRACE, "outer")
    begin(LOWER, "jit(outer)")
    end(LOWER, "jit(outer)")
    assert wound.told == [("trace", "outer"), ("lower", "outer")]


def test_what_began_before_anybody_listened_began_when_jax_says(wound: Heard) -> None:
    end(LOWER, "jit(step)", seconds=300e-9)
    (event,) = wound.events
    assert (event.start_ns, event.end_ns, event.cpu_ns) == (700, 1_000, 0)


def test_other_events_of_jax_and_names_that_are_no_wrapping_are_as_they_are(wound: Heard) -> None:
    begin("/jax/other", "x")
    end("/jax/other", "x")
    monitoring.record_event(HIT)
    monitoring.record_event_duration_secs(TRACE, 0.0)
    end(TRACE, "jit(f)")
    end(COMPILE, "a(b)c")
    assert wound.told == [("trace", ""), ("trace", "jit(f)"), ("compile", "a(b)c")]


def test_it_listens_once_for_several_and_no_longer_than_the_last(heard: Heard) -> None:
    with Heard(heard.staging) as second:
        jax.jit(lambda x: x - 0.375)(np.ones(3, np.float32))
        assert len(second.events) == len(heard.events) == 3
    jax.jit(lambda x: x - 0.625)(np.ones(3, np.float32))
    assert (len(second.events), len(heard.events)) == (3, 6)
    heard.__exit__()
    jax.jit(lambda x: x - 0.875)(np.ones(3, np.float32))
    assert len(heard.events) == 6
    assert not heard.staging.is_heard


def test_each_thread_has_phases_of_its_own(wound: Heard) -> None:
    begin(TRACE, "outer")
    other = threading.Thread(target=lambda: (begin(TRACE, "elsewhere"), end(TRACE, "elsewhere")))
    other.start()
    other.join()
    end(TRACE, "outer")
    assert wound.told == [("trace", "elsewhere"), ("trace", "outer")]


def test_what_the_runtime_asks_for_is_its_own_and_what_the_users_code_in_it_asks_for_is_not(heard: Heard) -> None:
    theirs = jax.jit(lambda x: x * 0.8671875)

    def loss(x: Any) -> Any:
        theirs(np.ones(3, np.float32))
        return x10.numpy.sum(x * 0.21875)

    float(x10.value_and_grad(loss)(x10.tensor(np.ones(4, np.float32)))[0])
    own = [event.function for event in heard.events if event.is_own]
    others = {event.function for event in heard.events if not event.is_own}
    assert own
    assert others == {"<lambda>"}


def test_the_first_gradient_has_its_trace_though_jax_does_not_tell_of_it(heard: Heard) -> None:
    def loss(x: Any) -> Any:
        return inner(x).sum() * 0.28125

    jax.grad(jax.jit(loss))(np.ones(4, np.float32))
    there, back = [one for one in from_events(heard.events) if one.function == "loss"]
    assert (set(there.phases), set(back.phases)) == ({"trace", "lower", "compile"}, {"lower", "compile"})
    (trace,) = [event for event in heard.events if (event.phase, event.function) == ("trace", "loss")]
    lower = next(event for event in heard.events if (event.phase, event.function) == ("lower", "loss"))
    assert trace.end_ns == lower.start_ns, "what JAX does to derive it belongs to it"
    assert sum(there.phases.values()) == pytest.approx((there.end_ns - there.start_ns) / 1e9, rel=0.5)


def test_a_gradient_that_fails_while_it_is_traced_leaves_nothing(heard: Heard) -> None:
    @jax.jit
    def bad(_: Any) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        jax.grad(bad)(1.0)
    jax.jit(lambda x: x + 0.15625)(np.ones(3, np.float32))
    assert [one.function for one in from_events(heard.events)] == ["<lambda>"]


def test_what_goes_wrong_in_a_hook_stays_there(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(heard.staging.causes, "making", fails)
    jax.jit(lambda x: x + 0.171875)(np.ones(3, np.float32))
    assert [one.cause.kind for one in from_events(heard.events)] == ["unknown"]
    monkeypatch.setattr(staging_module, "here", fails)
    jax.jit(lambda x: x + 0.1953125)(np.ones(3, np.float32))
    assert "on purpose" in ERRORS[-1]
    ERRORS.clear()


def test_values_that_cannot_be_told_do_no_harm(heard: Heard) -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    f = jax.jit(lambda x, n: x + 0.203125, static_argnums=1)
    for _ in range(2):
        f(np.ones(3, np.float32), Hostile())
    assert [one.cause.kind for one in from_events(heard.events)][1] == "static_argument"


def test_it_keeps_no_argument_alive(heard: Heard) -> None:
    class Held:
        pass

    def f(x: Any) -> Any:
        return x["a"] * 0.22265625

    value = {"a": jnp.ones(3)}
    ref = weakref.ref(value["a"])
    jax.jit(f)(value)
    del value
    gc.collect()
    assert ref() is None
    fun = weakref.ref(f)
    del f
    gc.collect()
    assert fun() is None


def test_loaded_twice_there_is_one_hook_and_none_when_it_has_left() -> None:
    def listeners() -> list[list[Any]]:
        return [private.get_event_listeners(), private.get_event_duration_listeners(), private.get_scalar_listeners()]

    before = listeners()
    traces = getattr(untold_traces.home(), untold_traces.NAME)
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    staging.stay()
    staging.stay()
    assert [len(now) - len(then) for now, then in zip(listeners(), before, strict=True)] == [1, 1, 1]
    staging.leave()
    staging.leave()
    assert listeners() == before
    assert getattr(untold_traces.home(), untold_traces.NAME) is traces
