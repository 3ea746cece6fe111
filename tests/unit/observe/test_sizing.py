"""What is told of programs before they are compiled."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.monitoring as monitoring
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe import sizing
from x10_jupyter.observe.sizing import Sizing
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.sink import ListSink
from x10_jupyter.records.size import TOLD_OPS

TABLE = np.random.default_rng(0).normal(size=(128, 512)).astype(np.float32)


@pytest.fixture
def sink() -> Iterator[ListSink]:
    made, told = Sizing(ManualClock(7)), ListSink()
    made.events.add(told)
    yield told
    made.events.remove(told)
    assert not made.is_heard


def looped(x: Any) -> Any:
    for _ in range(TOLD_OPS):
        x = jnp.sin(x)
    return x * 0.15625


def test_a_large_program_is_told_with_its_lines(sink: ListSink) -> None:
    jax.jit(looped)(np.ones(3, np.float32))
    (event,) = sink.events
    assert isinstance(event, Sized)
    first = looped.__code__.co_firstlineno
    assert (event.function, event.ops, event.start_ns, event.end_ns, event.baked) == ("looped", TOLD_OPS + 1, 7, 7, ())
    assert [(line.site and line.site.line, line.ops, line.passes) for line in event.lines] == [(first + 2, TOLD_OPS, TOLD_OPS), (first + 3, 1, 1)]
    assert event.site is not None
    assert Path(event.site.file).name == "test_sizing.py"


def test_it_is_told_before_xla_compiles(sink: ListSink) -> None:
    order: list[str] = []
    monitoring.register_scalar_listener(hear := lambda event, *_, **__: order.append(f"{event.rpartition('/')[2]} {len(sink.events)}"))
    jax.jit(lambda x: looped(x) + 1)(np.ones(3, np.float32))
    monitoring.unregister_scalar_listener(hear)
    assert "backend_compile_duration 1" in order


def test_large_constants_are_told_with_name_size_and_line(sink: ListSink) -> None:
    bias = jnp.asarray(TABLE[:64])
    small = np.ones(8, np.float32)

    def step(x: Any) -> Any:
        y = x @ TABLE
        return (y[:, :512] + bias[0]).sum() * small[0]

    jax.jit(step)(np.ones((1, 128), np.float32))
    (event,) = sink.events
    assert isinstance(event, Sized)
    assert [(one.name, one.aval, one.size_bytes) for one in event.baked] == [("TABLE", "f32[128,512]", 262_144), ("bias", "f32[64,512]", 131_072)]
    assert event.baked_bytes == 262_144 + 131_072
    assert [one.site and one.site.line for one in event.baked] == [step.__code__.co_firstlineno + 1, step.__code__.co_firstlineno + 2]
    assert event.lines == ()


def test_small_programs_and_those_of_the_runtime_are_not_told(sink: ListSink) -> None:
    jax.jit(lambda x: jnp.sin(x) * 0.21875)(np.ones(3, np.float32))
    x: Any = x10.tensor(np.ones(3, np.float32))
    for _ in range(TOLD_OPS + 10):
        x = x10.numpy.tanh(x)
    x10.barrier()
    assert sink.events == []


def test_what_goes_wrong_in_it_stays_there(sink: ListSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "program_to_lower", lambda _: 1 // 0)
    assert float(jax.jit(lambda x: x * 0.28125)(np.float32(1))) == 0.28125
    monkeypatch.setattr(sizing, "program_to_lower", lambda _: None)  # a JAX that has no such frame
    assert float(jax.jit(lambda x: x * 0.34375)(np.float32(1))) == 0.34375
    assert sink.events == []


def test_it_keeps_nothing_of_the_users_alive(sink: ListSink) -> None:
    table = jnp.asarray(TABLE + 1)
    step: Any = jax.jit(lambda x: x @ table)
    before = sys.getrefcount(table)
    step.lower(np.ones((1, 128), np.float32))
    step.clear_cache()
    assert len(sink.events) == 1
    assert sys.getrefcount(table) <= before + 1, "JAX may hold it, and nobody else"


def test_small_programs_that_call_python_back_are_told_with_the_line(sink: ListSink) -> None:
    def step(x: Any) -> Any:
        jax.debug.print("{}", x)
        return jax.pure_callback(lambda v: v, x, x) + 1

    jax.jit(step).lower(np.ones(3, np.float32))
    jax.jit(lambda x: x * 3)(np.ones(3, np.float32))
    first = step.__code__.co_firstlineno
    (event,) = sink.events
    assert isinstance(event, Sized)
    assert [(one.op, one.site and one.site.line) for one in event.callbacks] == [("debug_print", first + 1), ("pure_callback", first + 2)]
    assert (event.function, event.lines, event.baked) == ("step", (), ())
