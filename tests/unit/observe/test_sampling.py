import sys
import threading
import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import x10_jupyter as x10
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.observe import sampling
from x10_jupyter.observe.launching import Launching
from x10_jupyter.observe.sampling import CREDIT_NS, EACH_S, MOST_NS, Look, Sampling, Stretches, Watched, rest_after
from x10_jupyter.observe.standing import Place
from x10_jupyter.records.process_events import Read, Throttled, Waited
from x10_jupyter.records.sink import ListSink
from x10_jupyter.records.site import Site
from x10_jupyter.session.result import Capture
from x10_jupyter.session.root import SAMPLING

MS = 1_000_000
CODE = compile("1", "<here>", "exec")
HERE = Place("np.asarray()", Site(file="<here>", line=1, function="<module>"))
THERE = Place("np.mean()", Site(file="<here>", line=2, function="<module>"))


def look(at: float, *, cpu: float = 0, place: Place | None = HERE, pending: bool = True, at_instruction: int = 4) -> Look:
    return Look(round(at * MS), round(cpu * MS), (CODE, at_instruction), place, pending)


def stretches(*looks: Look) -> list[tuple[str, float, float]]:
    found = Stretches()
    over = [*[found.add(each) for each in looks], found.close()]
    return [(place.how, start / MS, end / MS) for place, start, end in filter(None, over)]


def test_looks_at_the_same_call_are_one_stretch() -> None:
    assert stretches(look(0), look(5), look(10), look(15, place=None)) == [("np.asarray()", 0, 10)]
    assert stretches(look(0), look(5), look(10, place=THERE, at_instruction=9), look(15, place=THERE, at_instruction=9)) == [
        ("np.asarray()", 0, 5),
        ("np.mean()", 10, 15),
    ]


@pytest.mark.parametrize(
    "second",
    [look(5, cpu=2), look(5, pending=False), look(5, place=None), look(5, at_instruction=6), look(5, place=THERE)],
    ids=["it computes", "nothing is pending", "it is elsewhere", "at another call of the line", "at another line"],
)
def test_what_is_not_certain_is_no_wait(second: Look) -> None:
    assert stretches(look(0), second) == []


def test_launches_at_several_calls_are_waits_one_after_the_other() -> None:
    here, there = HERE._replace(how="grads", kind="launch"), THERE._replace(how="update", kind="launch")
    assert stretches(look(0, place=here), look(5, place=there, at_instruction=8), look(10, place=HERE)) == [("update", 0, 5)]
    assert stretches(look(0, place=here), look(5, place=there, at_instruction=8, cpu=4)) == []
    assert stretches(look(0, place=here, pending=False), look(5, place=there, at_instruction=8)) == []


def test_one_look_says_nothing() -> None:
    assert stretches(look(0)) == []


def test_a_long_wait_is_told_in_parts() -> None:
    parts = stretches(*[look(at * 5) for at in range(200)])
    assert len(parts) == 4
    assert sum(end - start for _, start, end in parts) == 995
    assert all(end - start <= MOST_NS / MS for _, start, end in parts)


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 10), st.sampled_from([HERE, THERE, None]), st.booleans()), max_size=30))
def test_stretches_follow_each_other_and_cover_no_more_than_was_seen(steps: list[tuple[int, int, Place | None, bool]]) -> None:
    at = cpu = 0
    looks: list[Look] = []
    for took, used, place, pending in steps:
        at, cpu = at + took, cpu + min(used, took)
        looks.append(look(at, cpu=cpu, place=place, pending=pending))
    parts = stretches(*looks)
    assert all(start < end for _, start, end in parts)
    assert all(before[2] <= after[1] for before, after in pairwise(parts))
    certain = [pair for pair in pairwise(looks) if sampling.waited(*pair)]
    assert sum(end - start for _, start, end in parts) == sum(after.at_ns - before.at_ns for before, after in certain) / MS


def test_it_rests_so_long_that_it_takes_less_than_a_hundredth() -> None:
    assert rest_after(1_000 * MS, CREDIT_NS) == EACH_S
    assert rest_after(1_000 * MS, CREDIT_NS + 10 * MS) == pytest.approx(1.0)


def test_what_it_sees_is_told_as_a_read_of_the_thread_it_looks_at() -> None:
    made, sink = Sampling(ManualClock(), ManualClock(), Launching()), ListSink()
    made._end.set()
    made.events.sinks = (sink,)
    one = made._watched[threading.get_ident()] = Watched(threading.get_ident(), lambda: 0)
    for each in (look(0), look(5)):
        made._tell(one, one.stretches.add(each))
    made.settle()
    (event,) = sink.events
    assert isinstance(event, Read)
    assert (event.how, event.start_ns, event.end_ns, event.ready_ns) == ("np.asarray()", 0, 5 * MS, 5 * MS)
    assert (event.is_sampled, event.is_jax, event.site, event.beside_ns) == (True, True, HERE.site, None)


@pytest.mark.parametrize(("pending", "used_ms", "told"), [(True, 0, [(5, 15)]), (False, 0, []), (True, 4, [])], ids=["it waits", "nothing runs", "it computes"])
def test_a_launch_that_waits_is_told_with_its_function_and_line(
    monkeypatch: pytest.MonkeyPatch, pending: bool, used_ms: int, told: list[tuple[int, int]]
) -> None:
    monkeypatch.setattr(sampling, "are_ready", lambda _: not pending)
    launching, sink = Launching(), ListSink()
    made = Sampling(ManualClock(), ManualClock(), launching)
    made._end.set()
    made.events.sinks = (sink,)
    one = made._watched[threading.get_ident()] = Watched(threading.get_ident(), lambda: 0)

    def step(turn: int) -> None:
        """In place of a compiled function, in whose call somebody looks; then JAX tells of it, if it is asked to."""
        frame = sys._getframe(1)
        made.seen(one, turn * 5 * MS, turn * used_ms * MS, frame)
        if launching.left:
            launching.launched(step, frame, None)

    for turn in range(4):
        step(turn)
    made.settle()
    assert [(event.start_ns // MS, event.end_ns // MS) for event in sink.events] == told
    for event in sink.events:
        assert isinstance(event, Throttled)
        assert event.site is not None
        line = test_a_launch_that_waits_is_told_with_its_function_and_line.__code__.co_firstlineno + 19
        assert (event.function, event.site.file, event.site.line, event.thread) == ("step", __file__, line, threading.get_ident())


def test_its_thread_is_there_once_and_gone_with_the_last_listener() -> None:
    before, sinks = threading.active_count(), [ListSink(), ListSink()]
    for sink in sinks:
        SAMPLING.events.add(sink)
    assert threading.active_count() == before + 1
    SAMPLING.events.remove(sinks[0])
    assert SAMPLING.is_looking
    SAMPLING.events.remove(sinks[1])
    assert threading.active_count() == before


def waits_seen(capture: Capture) -> list[Waited]:
    return [event for event in capture.events if isinstance(event, Waited)]


def test_each_thread_that_listens_is_looked_at_and_a_wait_for_another_is_told() -> None:
    made: dict[str, Capture] = {}

    def other(name: str) -> None:
        with x10.capture(memory=False) as capturing:
            threading.Event().wait(0.4)
            time.sleep(0.1)
        made[name] = capturing.capture

    threads = [threading.Thread(target=other, args=(name,)) for name in ("first", "second")]
    with x10.capture(memory=False) as capturing:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for found, how in ((capturing.capture, ".join()"), (made["first"], ".wait()"), (made["second"], ".wait()")):
        mine = [event for event in waits_seen(found) if event.thread == found.thread]
        assert {event.how for event in mine} == {how}
        assert sum(event.end_ns - event.start_ns for event in mine) > 200 * MS
        assert all(event.site is not None and event.site.file == __file__ for event in mine)
    assert {event.thread for event in waits_seen(made["first"])} == {made["first"].thread}
    assert not SAMPLING._watched, "nobody is looked at any more"


def test_a_thread_that_ended_with_its_capture_open_is_looked_at_no_more() -> None:
    capturing = x10.capture(memory=False)
    thread = threading.Thread(target=capturing.__enter__)
    with x10.capture(memory=False):
        thread.start()
        thread.join()
        time.sleep(0.1)
        assert len(SAMPLING._watched) == 1
        assert SAMPLING.is_looking
    capturing.__exit__(None, None, None)
    assert not SAMPLING.is_looking


def test_a_capture_holds_a_wait_in_numpy() -> None:
    slow: Any = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, a: jnp.sin(a @ x), x).sum())
    x = jnp.ones((400, 400))
    slow(x).block_until_ready()
    seen, capture = [], None
    for _ in range(10):  # a busy machine may let nobody look in time
        with x10.capture() as capturing:
            np.asarray(slow(x))
            np.asarray(slow(x))
        capture = capturing.capture
        seen = [event for event in capture.reads if event.is_sampled]
        if seen:
            break
    assert seen and capture
    assert {event.how for event in seen} == {"np.asarray()"}
    assert all(event.site is not None and event.site.file == __file__ for event in seen)
    assert capture.time["execute"] >= sum(event.end_ns - event.start_ns for event in seen) * 0.9


def slow(x: Any) -> Any:
    return jax.lax.fori_loop(0, 8, lambda _, a: jnp.sin(a @ x), x)


SLOW: Any = jax.jit(slow)
"""Runs for some milliseconds."""

DONATING: Any = jax.jit(slow, donate_argnums=0)
"""The same, and takes its argument away, so that nothing is pending while its launch waits."""


def without_launches(found: Capture) -> Capture:
    """The same, had nobody told of launches that wait."""
    return replace(found, events=tuple(event for event in found.events if not isinstance(event, Throttled)))


@pytest.mark.parametrize("step", [SLOW, DONATING], ids=["plain", "donating"])
def test_a_loop_that_only_launches_is_the_model_running(step: Any) -> None:
    x = jnp.ones((400, 400))
    step(x + 0).block_until_ready()
    found = None
    for _ in range(10):  # a busy machine may let nobody look in time
        with x10.capture(memory=False) as capturing:
            y = x + 0
            for _ in range(120):
                y = step(y)
            y.block_until_ready()
        found = capturing.capture
        if without_launches(found).time["unexplained"] > 4 * found.time["unexplained"]:
            break
    assert found is not None
    before, after = without_launches(found).time, found.time
    assert before["unexplained"] > 4 * after["unexplained"]
    assert after["execute"] > before["execute"]
    seen = [event for event in found.events if isinstance(event, Throttled)]
    line = test_a_loop_that_only_launches_is_the_model_running.__code__.co_firstlineno + 9
    assert {(event.function, event.site and event.site.file, event.site and event.site.line) for event in seen} == {("slow", __file__, line)}
    assert {one.kind for one in found.findings} <= {"healthy", "cpu_contention"}


def test_what_else_waits_in_a_loop_that_launches_is_no_launch() -> None:
    x = jnp.ones((400, 400))
    SLOW(x).block_until_ready()
    with x10.capture(memory=False) as capturing:
        y = x
        for _ in range(24):  # fewer than may be in flight
            y = SLOW(y)
            time.sleep(0.01)
        y.block_until_ready()
    found = capturing.capture
    assert not [event for event in found.events if isinstance(event, Throttled)]
    assert found.time["unexplained"] > 100 * MS
