from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from factories import (
    MAIN,
    MS,
    OTHER,
    capture,
    collected,
    compiled,
    cut,
    executed,
    fell_back,
    read,
    site,
    staged,
    stepped,
    throttled,
    traced,
    transferred,
    waited,
)
from x10_jupyter.records.accounting import TIME_NAMES
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Compiled, FellBack, Stepped
from x10_jupyter.records.thinning import MOST_STEPS, Thinning


def thinned(events: list[Event], end_ns: int, *, most: int, at_once: int, **fields: Any) -> Capture:
    """A capture that held so many events at most, of events in the order in which they came."""
    thinning, held = Thinning(thread=MAIN, start_ns=0), list[Event]()
    for event in events:
        held.append(event)
        if len(held) > most:
            held, _ = thinning.fold(held, at_once)
    made = capture(*sorted(held, key=lambda event: event.start_ns), end_ns=end_ns, thinned=thinning.result(held))
    return replace(made, **fields)


@st.composite
def makes(draw: st.DrawFn, start: int) -> tuple[list[Event], int]:
    """Now and then a program is made, and until when."""
    if draw(st.integers(0, 4)):
        return [], start
    end = start + draw(st.integers(1, 9))
    if draw(st.booleans()):
        return [compiled(start, end, phases={"trace": 1, "lower": 2}, cpu_ns=3, queued_ns=2)], end
    half = (start + end) // 2
    return [staged(start, half, "trace"), staged(half, end, cpu_ns=3, queued_ns=2)], end


@st.composite
def waits(draw: st.DrawFn, start: int) -> tuple[list[Event], int]:
    """Now and then another thread is waited for, and until when; some of them make a program."""
    if draw(st.integers(0, 3)):
        return [], start
    end = start + draw(st.integers(1, 12))
    wait = waited(start, end, site=site(draw(st.integers(1, 2))))
    if draw(st.booleans()):
        return [wait], end
    at = draw(st.integers(max(start - 3, 0), end))
    return [wait, staged(at, at + 2, "trace", thread=OTHER), staged(at + 2, at + 5, thread=OTHER)], max(end, at + 5)


@st.composite
def loops(draw: st.DrawFn) -> tuple[list[Event], int]:
    """Steps, one after the other, each with some of what a step may have, in the order in which events are told: as they end."""
    events: list[Event] = []
    now = draw(st.integers(0, 3))
    last = -draw(st.integers(0, 5))  # the step under way when the window begins
    make: dict[str, Callable[..., Event]] = {
        "read": read,
        "transferred": transferred,
        "fell_back": fell_back,
        "collected": collected,
        "cut": cut,
        "launch": throttled,
    }
    for index in range(draw(st.integers(0, 14))):
        traced_ns = now
        for _ in range(draw(st.integers(0, 3))):
            kind, gap, took = draw(st.sampled_from(sorted(make))), draw(st.integers(0, 3)), draw(st.integers(0, 6))
            if draw(st.booleans()):
                inner = draw(st.integers(0, took))
                events.append(collected(now + gap, now + gap + inner, cpu_ns=inner, queued_ns=1))
            events.append(make[kind](now + gap, now + gap + took, site=site(draw(st.integers(1, 2)))))
            now += gap + took
        found, now = draw(makes(now))
        events += found
        found, now = draw(waits(now))
        events += found
        events.append(traced(traced_ns, now))
        launch, took = now, draw(st.integers(0, 8))
        now += draw(st.integers(0, 2))
        events.append(executed(launch, now, max(now, launch + took), thread=draw(st.sampled_from([MAIN, OTHER]))))
        now += 1
        if draw(st.booleans()):
            events.append(stepped(last, now, index))
            last = now
    return sorted(events, key=lambda event: event.end_ns), max([now, *[event.end_ns for event in events]]) + 1


def totals(made: Capture) -> dict[str, Any]:
    """What has to be exact."""
    kinds = (Read, FellBack, Compiled, Stepped)
    return {
        "time": dict(made.time),
        "step_time": dict(made.step_time),
        "steps": made.step_count,
        "compile": made.compile_ns,
        "device": made.device_ns,
        "trace to compile": made.trace_to_compile_ns,
        "compiles": made.compiles,
        "keeping": made.keeping,
        "counts": [made.count(kind) for kind in kinds],
        "reads": sorted((str(event.site), sum(n for other, n in made.counted(Read) if other.site == event.site)) for event, _ in made.counted(Read))[:1],
    }


@settings(max_examples=100, deadline=None)  # a busy machine
@given(loops(), st.integers(2, 12), st.integers(1, 8), st.integers(0, 80), st.integers(0, 40))
def test_totals_are_those_of_all_events(loop: tuple[list[Event], int], most: int, at_once: int, cpu_ns: int, queue_ns: int) -> None:
    events, end_ns = loop
    whole = capture(*sorted(events, key=lambda event: event.start_ns), end_ns=end_ns, cpu_ns=cpu_ns, queued_ns=queue_ns)
    made = replace(thinned(events, end_ns, most=most, at_once=min(at_once, most), cpu_ns=cpu_ns), queued_ns=queue_ns)
    assert sum(made.time.values()) == made.wall_ns
    assert all(sum(step.parts.values()) == step.wall_ns for step in made.steps)
    assert made.step_count == whole.step_count
    assert [made.count(kind) for kind in (Read, FellBack, Stepped)] == [whole.count(kind) for kind in (Read, FellBack, Stepped)]
    assert made.compiles == whole.compiles
    if made.thinned is None or not made.thinned.late:
        assert totals(made) == totals(whole)
        assert [(step.index, step.wall_ns, step.parts) for step in made.steps] == [(step.index, step.wall_ns, step.parts) for step in whole.steps]


def loop(steps: int) -> list[Event]:
    """A loop of equal steps, one of which takes long."""
    events: list[Event] = []
    now = 0
    for index in range(steps):
        end = now + (9 * MS if index == 777 else MS)
        events += [traced(now, now + MS // 2), read(now + MS // 2, end), stepped(now, end, index)]
        now = end
    return events


def test_a_long_loop_is_bounded_and_its_longest_step_stays() -> None:
    events = loop(20_000)
    thinning, held, most = Thinning(thread=MAIN, start_ns=0), list[Event](), 0
    for event in events:
        held.append(event)
        if len(held) > 2_000:
            held, _ = thinning.fold(held, 500)
        most = max(most, len(held))
    assert most <= 2_001
    found = thinning.result(held)
    assert found is not None
    assert len(found.steps) <= MOST_STEPS
    made = capture(*sorted(held, key=lambda event: event.start_ns), end_ns=20_008 * MS, thinned=found)
    assert (made.step_count, made.count(Read), found.late) == (20_000, 20_000, 0)
    assert 777 in [step.index for step in made.steps if step.is_spike]
    assert made.time["trace"] == 20_000 * MS // 2
    assert [times for _, times in made.counted(Read) if times > 1] == [made.count(Read) - sum(isinstance(event, Read) for event in held)]


def test_what_began_before_what_is_summed_up_is_counted_and_the_wall_still_sums() -> None:
    events = [*[read(start, start + 1) for start in range(0, 100, 2)], traced(5, 150)]
    made = thinned(events, 200, most=20, at_once=10)
    assert made.thinned is not None
    assert made.thinned.late == 1
    assert sum(made.time.values()) == 200
    assert made.time["trace"] < capture(*events, end_ns=200).time["trace"]


def test_a_step_that_nobody_saw_the_beginning_of_is_unexplained_as_far_as_it_is_not_known() -> None:
    events: list[Event] = [*[read(start, start + 1) for start in range(100)], stepped(50, 120)]
    made = thinned(events, 200, most=20, at_once=10)
    assert made.thinned is not None
    (step,) = made.steps
    assert step.wall_ns == 70 == sum(step.parts.values())
    assert step.parts["unexplained"] == made.thinned.until_ns - 50


def test_a_step_as_long_as_the_window_has_all_its_parts() -> None:
    events: list[Event] = [*[read(start, start + 1) for start in range(100)], stepped(-10, 120)]
    (step,) = thinned(events, 200, most=20, at_once=10).steps
    assert (step.start_ns, step.wall_ns, step.parts["read"], step.parts["python"]) == (0, 120, 100, 20)


def test_few_events_are_not_thinned() -> None:
    assert thinned(loop(3), 100, most=100, at_once=10).thinned is None
    assert list(capture().step_time) == list(TIME_NAMES)
