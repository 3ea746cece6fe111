import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe.reading import LEAST_NS, Reading
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.sink import ListSink
from x10_jupyter.session.root import READING


class Pending:
    """An array that is not ready until somebody waits for it."""

    shape, dtype, weak_type = (4, 2), np.dtype("float32"), False

    def __init__(self, clock: ManualClock, took_ns: int) -> None:
        self.clock, self.took_ns, self.ready = clock, took_ns, False

    def is_ready(self) -> bool:
        return self.ready

    def is_deleted(self) -> bool:
        return False

    def devices(self) -> set[Any]:
        return {jax.devices()[0]}

    def wait(self) -> None:
        self.clock.advance(self.took_ns)
        self.ready = True


class Heard:
    """What is told while it listens, on clocks that a test moves."""

    def __init__(self) -> None:
        self.clock, self.others, self.queue, self.sink = ManualClock(1_000), ManualClock(500), ManualClock(50), ListSink()
        self.reading = Reading(self.clock, self.others, self.queue)
        self.reading.events.add(self.sink)

    @property
    def told(self) -> list[Read]:
        return [event for event in self.sink.events if isinstance(event, Read)]

    def read(self, took_ns: int, call: Callable[[], object] = lambda: 3.5, name: str = "item") -> object:
        array: Any = Pending(self.clock, took_ns)
        return self.reading.hear(name, [array], array.wait, call)


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    try:
        yield made
    finally:
        made.reading.events.remove(made.sink)


def test_a_wait_is_told_with_its_line_and_when_the_array_was_ready(heard: Heard) -> None:
    def copying() -> float:
        heard.clock.advance(7)
        heard.queue.advance(4)
        return 3.5

    assert heard.read(300, copying) == 3.5
    (event,) = heard.told
    assert event.queued_ns == 4
    assert (event.how, event.aval, event.size_bytes, event.pending_ops) == (".item()", "f32[4,2]", 32, 0)
    assert (event.start_ns, event.ready_ns, event.end_ns) == (1_000, 1_300, 1_307)
    assert (event.is_jax, event.is_sampled, event.thread) == (True, False, threading.get_ident())
    assert event.site is not None
    assert event.site.file == __file__


def test_what_other_threads_did_since_the_read_before_is_known_from_the_second_on(heard: Heard) -> None:
    heard.read(300)
    heard.others.advance(40)
    heard.read(300)
    assert [event.beside_ns for event in heard.told] == [None, 40]


def test_an_array_that_is_there_is_told_of_only_if_to_bring_it_takes_long(heard: Heard) -> None:
    array: Any = Pending(heard.clock, 0)
    array.ready = True
    for took_ns in (LEAST_NS - 1, LEAST_NS):
        heard.reading.hear("_value", [array], array.wait, lambda took_ns=took_ns: heard.clock.advance(took_ns))
    (event,) = heard.told
    assert (event.ready_ns, event.end_ns - event.start_ns) == (event.start_ns, LEAST_NS)


def test_an_error_of_the_wait_is_the_calls_to_raise(heard: Heard) -> None:
    array: Any = Pending(heard.clock, 0)

    def fail() -> None:
        raise ZeroDivisionError

    assert heard.reading.hear("item", [array], fail, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        heard.reading.hear("item", [array], fail, fail)
    assert len(heard.told) == 2


def test_a_read_within_a_read_is_a_part_of_it(heard: Heard) -> None:
    assert heard.read(300, lambda: heard.read(20)) == 3.5
    assert len(heard.told) == 1


HOW: dict[str, Callable[[jax.Array], object]] = {
    "float()": float,
    "bool()": bool,
    "format()": lambda x: f"{x}",
    "str()": str,
    ".tolist()": lambda x: x.tolist(),
    ".item()": lambda x: x.item(),
    "numpy": lambda x: x.__array__(),
    "jax.device_get()": jax.device_get,
    ".block_until_ready()": lambda x: jax.block_until_ready([x, x]),
}


@pytest.mark.parametrize("how", HOW)
def test_reads_are_told_in_the_users_words(how: str, heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.observe.reading.are_ready", lambda _: False)
    HOW[how](jnp.float32(2.5))
    (event,) = heard.told
    assert event.how == how
    assert event.aval == ("f32[] and 1 more" if "block" in how else "f32[]")


def test_a_constant_of_a_program_is_read_to_be_baked_in(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    constant = jnp.ones((60, 60))
    monkeypatch.setattr("x10_jupyter.observe.reading.are_ready", lambda _: False)
    jax.jit(lambda x: x @ constant)(jnp.ones((1, 60)))
    assert [(event.how, event.aval) for event in heard.told] == [("baking in", "f32[60,60]")]


def test_what_the_runtime_reads_for_itself_is_not_told(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.observe.reading.are_ready", lambda _: False)
    assert float(x10.numpy.ones(3).sum()) == 3.0
    assert heard.told == []


def test_it_is_there_once_for_several_and_gone_with_the_last() -> None:
    first, second = ListSink(), ListSink()
    READING.events.add(first)
    READING.events.add(second)
    READING.events.remove(first)
    assert READING.is_heard
    READING.events.remove(second)
    assert not READING.is_heard


def test_a_capture_gives_the_wait_to_executing() -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, a: jnp.sin(a @ x), x).sum())
    x = jnp.ones((400, 400))
    slow(x).block_until_ready()
    with x10.capture() as capturing:
        float(slow(x))
    made = capturing.capture
    waited = [event for event in made.reads if event.ready_ns is not None]
    assert sum(event.ready_ns - event.start_ns for event in waited if event.ready_ns) <= made.time["execute"] + made.time["gc"]
    assert [event.how for event in waited] == ["float()"]
    assert made.device_ns > 0


def test_what_still_runs_at_the_end_of_a_capture_is_waited_for_and_is_no_read() -> None:
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda _, a: jnp.sin(a @ x), x).sum())
    x = jnp.ones((300, 300))
    slow(x).block_until_ready()
    with x10.capture() as capturing:
        result = slow(x)
    made = capturing.capture
    assert result.is_ready()
    assert made.reads == ()
    assert made.time["drain"] > 0.5 * made.wall_ns
