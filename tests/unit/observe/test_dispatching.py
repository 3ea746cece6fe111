"""Operations that run one by one are counted, with the line and the time of one, and nothing else is."""

import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.base.clock import ManualClock, MonotonicClock
from x10_jupyter.observe.dispatching import GAP_NS, LEAST, MOST_KNOWN, MOST_NS, Counting, Dispatching
from x10_jupyter.observe.launching import Launching
from x10_jupyter.records.process_events import Dispatched
from x10_jupyter.records.sink import FanOut, ListSink

X = jnp.ones(3)


class Heard:
    """What is told while it listens."""

    def __init__(self) -> None:
        self.sink = ListSink()
        self.launching = Launching()
        self.dispatching = Dispatching(MonotonicClock(), self.launching)

    def end(self) -> list[Dispatched]:
        self.dispatching.settle()
        told = [event for event in self.sink.events if isinstance(event, Dispatched)]
        self.sink.events.clear()
        return told


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    jnp.add(jnp.sin(X), 0.5)
    made.dispatching.events.add(made.sink)
    yield made
    made.dispatching.events.remove(made.sink)
    assert not made.dispatching.is_heard
    assert made.launching.functions == {}


def test_each_operation_is_counted_and_one_in_some_looked_at(heard: Heard) -> None:
    y = X
    for _ in range(1_000):
        y = jnp.sin(y) + 0.5
    told = heard.end()
    assert sum(event.ops for event in told) == 2_000
    for event in told:
        assert event.op in ("sin", "add")
        assert event.site is not None
        assert event.site.line == test_each_operation_is_counted_and_one_in_some_looked_at.__code__.co_firstlineno + 3
        assert 0 < event.each_ns < event.end_ns - event.start_ns
        assert not event.is_gradient
    assert heard.end() == [], "they are told once"


def test_what_a_library_runs_is_at_the_users_line(heard: Heard) -> None:
    import optax

    opt = optax.sgd(0.1, momentum=0.9)
    state = opt.init(X)
    for _ in range(200):
        _, state = opt.update(X, state)
    line = test_what_a_library_runs_is_at_the_users_line.__code__.co_firstlineno + 6
    assert {event.site.line for event in heard.end() if event.site is not None} == {line}


def test_a_gradient_that_is_not_compiled_is_one(heard: Heard) -> None:
    slope = jax.value_and_grad(lambda x: (jnp.sin(x) * x).sum())
    slope(X)
    heard.end()
    for _ in range(100):
        slope(X)
    told = heard.end()
    assert told
    assert all(event.is_gradient for event in told)


def test_what_is_compiled_is_none(heard: Heard) -> None:
    @jax.jit
    def step(x: Any) -> Any:
        for _ in range(3 * LEAST):
            x = jnp.sin(x) + 0.5
        return x

    for _ in range(2 * LEAST):
        step(X)
    assert heard.end() == []


def test_the_next_call_of_a_compiled_function_is_looked_at_where_somebody_asks(heard: Heard) -> None:
    @jax.jit
    def step(x: Any) -> Any:
        return jnp.sin(x) + 0.5

    code = test_the_next_call_of_a_compiled_function_is_looked_at_where_somebody_asks.__code__
    step(step(X))
    assert heard.launching.functions == {}
    for call in (lambda: step(X), lambda: jnp.sin(X)):
        heard.launching.left = 1
        call()
        call()
        assert not heard.launching.left
    made = heard.launching.functions.items()
    assert [(at.co_firstlineno, name) for (at, _), name in made] == [(code.co_firstlineno + 8, "step"), (code.co_firstlineno + 8, "sin")]


def test_a_few_are_not_told(heard: Heard) -> None:
    for _ in range(LEAST - 1):
        jnp.sin(X)
    assert heard.end() == []


def called(counting: Counting, function: Any, times: int, clock: ManualClock, each_ns: int) -> None:
    for _ in range(times):
        clock.advance(each_ns)
        counting.hear(function, (), {}, None)


def test_a_pause_ends_a_stretch_and_a_long_one_is_told_in_parts() -> None:
    clock, sink, events = ManualClock(100), ListSink(), FanOut()
    events.add(sink)
    counting = Counting(clock, events, Launching())
    called(counting, jnp.sin, 1_000, clock, 7_000)
    clock.advance(GAP_NS)
    called(counting, jnp.sin, 500, clock, 9_000)
    counting.end()
    first, second = [event for event in sink.events if isinstance(event, Dispatched)]
    assert (first.each_ns, second.each_ns) == (7_000, 9_000)
    assert first.ops + second.ops == 1_500
    assert second.start_ns - first.end_ns >= GAP_NS
    sink.events.clear()
    called(counting, jnp.sin, 3_000, clock, MOST_NS // 1_000)
    counting.end()
    parts = [event for event in sink.events if isinstance(event, Dispatched)]
    assert len(parts) >= 3
    assert sum(event.ops for event in parts) == 3_000


def test_functions_of_the_users_are_not_kept_alive_and_known_ones_are_bounded() -> None:
    counting = Counting(ManualClock(1), FanOut(), Launching())
    made = [jax.jit(lambda x: x) for _ in range(3)]
    for one in made:
        before = sys.getrefcount(one)
        counting.hear(one, (), {}, None)
        assert sys.getrefcount(one) == before
    counting.others.update(range(MOST_KNOWN))
    size = len(counting.others)
    counting.hear(jax.jit(lambda x: x), (), {}, None)
    assert len(counting.others) == size
    assert counting.left == 1
