import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import x10_jupyter as x10
from live import live_bytes
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe import weighing
from x10_jupyter.observe.weighing import CREDIT_NS, EACH_S, FIRST_S, MARKS, TOO_MANY, Weighing, rest_after
from x10_jupyter.records.memory import total_bytes
from x10_jupyter.records.process_events import Held, Sampled
from x10_jupyter.records.sink import ListSink
from x10_jupyter.session.root import WEIGHING

MS, S = 1_000_000, 1_000_000_000


class Scales:
    """One that looks when it is told to; its thread waits forever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, take: Callable[[], bytes] = jax.profiler.device_memory_profile) -> None:
        monkeypatch.setattr(weighing, "FIRST_S", 1e6)
        monkeypatch.setattr(weighing, "EACH_S", 1e6)
        self.clock, self.sink = ManualClock(), ListSink()
        self.made = Weighing(self.clock, ManualClock(), take=take)

    def __enter__(self) -> "Scales":
        self.made.events.add(self.sink, ["memory"])
        return self

    def __exit__(self, *_: object) -> None:
        self.made.events.remove(self.sink)

    def mark(self) -> None:
        self.clock.advance(MS)
        self.made.mark()

    def end(self) -> None:
        self.clock.advance(MS)
        self.made.conclude(["memory"])

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.sink.events if type(event) is kind]


def held_bytes(event: Held) -> int:
    return sum(one.size_bytes for one in event.holdings)


def test_what_there_is_at_the_beginning_between_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    expected = [live_bytes()]
    with Scales(monkeypatch) as scales:
        kept = jax.block_until_ready(jnp.ones(1000) + 1)
        expected.append(live_bytes())
        scales.mark()
        del kept
        expected.append(live_bytes())
        scales.end()
    told = [total_bytes(event) for event in scales.told(Sampled)]
    assert [now - told[0] for now in told] == [now - expected[0] for now in expected] == [0, 4000, 0]
    assert [(event.moment, held_bytes(event)) for event in scales.told(Held)] == list(zip(("beginning", "between", "end"), told, strict=True))
    assert [event.start_ns for event in scales.told(Held)] == [event.start_ns for event in scales.told(Sampled)]


def test_the_highest_is_told_by_line_though_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with Scales(monkeypatch) as scales:
        kept = None
        for turn in range(40):
            kept = jax.block_until_ready(jnp.ones(2000 if turn == 21 else 10) + 1)
            scales.mark()
        del kept
        scales.end()
    highest = max(scales.told(Sampled), key=total_bytes)
    moments = [event.start_ns for event in scales.told(Held)]
    assert highest.start_ns in moments
    assert len(scales.told(Sampled)) == 42
    assert len(moments) == len(set(moments)) <= MARKS + 3
    between = [event.start_ns for event in scales.told(Held) if event.moment == "between" and event.start_ns != highest.start_ns]
    assert max(after - before for before, after in pairwise([0, *between, 42 * MS])) <= 2 * 42 * MS / MARKS, "spread over the time"


def test_an_inner_capture_has_its_own_beginning_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = ListSink()
    with Scales(monkeypatch) as scales:
        kept = jax.block_until_ready(jnp.ones(300))
        scales.clock.advance(MS)
        scales.made.events.add(inner, ["memory"])
        scales.clock.advance(MS)
        scales.made.conclude(["memory"])
        scales.made.events.remove(inner)
        assert kept.nbytes == 1200
        scales.end()
    outer = [(event.moment, event.start_ns // MS) for event in scales.told(Held)]
    assert outer == [("beginning", 0), ("beginning", 1), ("end", 2), ("end", 3)]
    assert [event.moment for event in inner.events if isinstance(event, Held)] == ["beginning", "beginning", "end"]


@pytest.mark.parametrize(
    ("take", "reason"),
    [
        (lambda: b"nonsense", "could not be had: it is no profile in pprof's format"),
        (lambda: 1 / 0, "could not be had: division by zero"),
    ],
)
def test_why_nothing_is_known_is_told_once_and_nothing_raised(monkeypatch: pytest.MonkeyPatch, take: Any, reason: str) -> None:
    with Scales(monkeypatch, take) as scales:
        scales.mark()
        scales.end()
    assert scales.told(Sampled) == []
    (event,) = scales.told(Held)
    assert (event.moment, event.holdings) == ("end", ())
    assert reason in event.reason


def test_of_very_many_arrays_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "MOST_ARRAYS", -1)
    with Scales(monkeypatch) as scales:
        scales.end()
    assert [event.reason for event in scales.told(Held)] == [TOO_MANY]


def test_its_thread_is_there_once_and_gone_with_the_last_who_asks() -> None:
    before, sinks, other = threading.active_count(), [ListSink(), ListSink()], ListSink()
    WEIGHING.events.add(other)
    assert not WEIGHING.is_looking, "nobody asked"
    for sink in sinks:
        WEIGHING.events.add(sink, ["memory"])
    assert threading.active_count() == before + 1
    WEIGHING.events.remove(sinks[0])
    assert WEIGHING.is_looking
    WEIGHING.events.remove(sinks[1])
    WEIGHING.events.remove(other)
    assert threading.active_count() == before
    assert other.events == []


def test_it_rests_so_long_that_it_takes_less_than_a_hundredth() -> None:
    assert rest_after(0, 0, 0) == FIRST_S
    assert rest_after(500 * MS, 0, 0) == pytest.approx(0.05)
    assert rest_after(10 * S, 0, 0) == EACH_S
    assert rest_after(600 * S, 0, 0) == pytest.approx(3.0)
    assert rest_after(0, 16 * MS, 0) == pytest.approx(3.2)


def test_marks_are_spread_over_the_time_though_looks_come_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    with Scales(monkeypatch) as scales:
        at = [round(10 * 1.25**turn) * MS for turn in range(24)]
        for at_ns in at:
            scales.clock.time_ns = at_ns
            scales.made.mark()
        scales.end()
    between = [event.start_ns for event in scales.told(Held) if event.moment == "between"]
    assert sum(at_ns > at[-1] / 3 for at_ns in between) >= 3


def test_a_few_looks_are_free_if_they_take_little_so_that_short_loops_are_seen() -> None:
    assert rest_after(0, MS // 2, CREDIT_NS - MS // 2) == FIRST_S
    assert rest_after(0, MS // 2, CREDIT_NS) == pytest.approx(0.1)
    assert rest_after(0, CREDIT_NS + 1, 0) == pytest.approx(0.8)


def test_a_capture_sees_what_another_thread_makes_while_it_is_there() -> None:
    def make() -> None:
        kept.append(jax.block_until_ready(jnp.ones(5000) * 3))

    kept: list[Any] = []
    with x10.capture() as capturing:
        other = threading.Thread(target=make)
        other.start()
        other.join()
    found = capturing.capture.memory
    assert found is not None and not found.reason
    # other tests may have left arrays of functions of the same name
    (line,) = [line for line in found.lines if line.kind == "array" and line.site and (line.site.function, line.site.file) == ("make", __file__)]
    assert (line.now.count, line.now.size_bytes, line.grown_bytes) == (1, 20_000, 20_000)
    assert line.site is not None and line.site.line == make.__code__.co_firstlineno + 1


def test_one_may_ask_for_none_of_it() -> None:
    with x10.capture(memory=False) as capturing:
        pass
    assert capturing.capture.memory is None


def test_a_capture_does_not_make_jax_choose_a_platform() -> None:
    code = """
import jax, x10_jupyter as x10
from jax._src import xla_bridge
with x10.capture() as capturing:
    assert not xla_bridge.backends_are_initialized()
    kept = jax.numpy.ones(25)
found = capturing.capture.memory
assert [device.array_bytes for device in found.last.devices] == [100], found
assert found.first.devices == ()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=120)


def test_devices_are_told_apart() -> None:
    code = """
import jax, numpy as np, x10_jupyter as x10
first, second = jax.devices()
with x10.capture() as capturing:
    kept = [jax.device_put(np.ones(10, np.float32), first), jax.device_put(np.ones(50, np.float32), second)]
    mesh = jax.make_mesh((2,), ("a",))
    kept.append(jax.device_put(np.ones(100, np.float32), jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("a"))))
found = capturing.capture.memory
assert [(device.name, device.arrays, device.array_bytes) for device in found.last.devices] == [("CPU:0", 2, 240), ("CPU:1", 2, 400)], found.last
assert sum(line.now.size_bytes for line in found.lines) == sum(shard.data.nbytes for array in jax.live_arrays() for shard in array.addressable_shards) == 640
"""
    environment = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env={**os.environ, **environment})
