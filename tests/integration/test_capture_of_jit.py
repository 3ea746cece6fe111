"""A capture of ordinary JAX, and of the collector, without a notebook."""

import gc
import threading
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10
from x10_jupyter.records.process_events import Collected, Staged


def test_a_function_of_the_users_jit_is_told_with_its_phases_and_line() -> None:
    step = jax.jit(lambda x: jnp.tanh(x * 0.8125).sum())
    with x10.capture() as capturing:
        for size in (3, 3, 4):
            step(np.ones(size, np.float32)).block_until_ready()
    found = capturing.capture
    assert [(one.function, one.maker, set(one.phases)) for one in found.compiles] == [("<lambda>", "jax", {"trace", "lower", "compile"})] * 2
    assert found.compiles[0].call_site is not None
    assert found.compiles[0].call_site.file == __file__
    assert min(found.time[name] for name in ("trace", "lower", "compile")) > 0
    assert sum(found.time.values()) == found.wall_ns
    first, again = found.compiles
    assert first.cause.kind in {"first", "unknown"}, "the latter if JAX was at work before anybody listened"
    assert (again.cause.kind, again.cause.where, again.cause.old, again.cause.new) == ("shape", "x", "f32[3]", "f32[4]")
    assert "`x` shape f32[3] → f32[4] at test_capture_of_jit.py:" in str(found)


def test_to_look_through_many_arrays_at_the_end_is_not_told_as_the_model_running() -> None:
    many = [jnp.asarray(number) for number in range(4_000)]
    with x10.capture() as capturing:
        pass
    found = capturing.capture
    assert (found.time["drain"], found.findings) == (0, ())
    assert sum(found.time.values()) == found.wall_ns
    del many


def test_a_barrier_at_the_end_of_each_turn_makes_steps_of_a_loop_of_jit() -> None:
    step = jax.jit(lambda x: jnp.tanh(x * 0.6875))
    x = step(np.ones(7, np.float32))
    for marks in (False, True):
        with x10.capture() as capturing:
            for _ in range(6):
                x = step(x)
                if marks:
                    x10.barrier()
        assert len(capturing.capture.steps) == 6 * marks


def test_the_runtimes_own_compiles_are_told_once() -> None:
    with x10.capture() as capturing:
        x: Any = x10.tensor(np.ones((6, 2), np.float32))
        float(x10.numpy.sum(x10.numpy.cosh(x * 0.4375)))
        x10.numpy.nonzero(x)
    found = capturing.capture
    own = [one for one in found.compiles if one.maker == "runtime"]
    assert len(own) == 1
    assert found.compiles == tuple(own)
    assert [event for event in found.events if isinstance(event, Staged)], "JAX told of them, too"
    assert sum(found.time.values()) == found.wall_ns


def test_jit_within_a_trace_of_the_runtime_is_told() -> None:
    step = jax.jit(lambda x: jnp.tanh(x * 0.5625).sum())
    with x10.capture() as capturing:
        x: Any = x10.tensor(np.ones((6, 2), np.float32)) * 3.5
        step(np.ones(11, np.float32))
        float(x10.numpy.sum(x))
    assert ("<lambda>", "jax") in [(one.function, one.maker) for one in capturing.capture.compiles]


def test_collecting_garbage_has_its_time() -> None:
    with x10.capture() as capturing:
        held = [[number] for number in range(100_000)]
        gc.collect()
        del held
    found = capturing.capture
    passes = [event for event in found.events if isinstance(event, Collected)]
    assert 2 in [event.generation for event in passes]
    assert found.time["gc"] >= max(event.end_ns - event.start_ns for event in passes) > 0


def test_sleeping_is_not_called_python_though_something_was_compiled() -> None:
    with x10.capture() as capturing:
        jax.jit(lambda x: jnp.sort(jnp.tanh(x * 0.3125)))(np.ones(12, np.float32)).block_until_ready()
        time.sleep(0.25)
    assert capturing.capture.time["unexplained"] > 0.2e9


def test_captures_nest_and_run_on_several_threads() -> None:
    barrier, found = threading.Barrier(2), {}

    def captured(name: str) -> None:
        with x10.capture(name) as outer:
            barrier.wait()
            with x10.capture() as inner:
                jax.jit(lambda x: x * 0.6875 + len(name))(np.ones(3, np.float32)).block_until_ready()
        found[name] = outer.capture, inner.capture

    threads = [threading.Thread(target=captured, args=(name,)) for name in ("a", "bc")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {"a", "bc"}
    for outer, inner in found.values():
        assert set(inner.events) <= set(outer.events)
        assert sum(outer.time.values()) == outer.wall_ns >= inner.wall_ns
        assert inner.time["compile"] > 0
        assert "<lambda>" in [one.function for one in inner.compiles]
