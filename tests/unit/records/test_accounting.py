from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from factories import (
    MAIN,
    OTHER,
    chained,
    collected,
    compiled,
    cut,
    executed,
    fell_back,
    read,
    staged,
    started,
    stepped,
    throttled,
    traced,
    transferred,
    waited,
)
from x10_jupyter.records.accounting import TIME_NAMES, TimeName, busy_ns, device, making_ns, queued_ns, timeline, unmeasured_ns, with_unexplained
from x10_jupyter.records.events import Event
from x10_jupyter.records.kinds import Kinds
from x10_jupyter.records.process_events import Read, Waited
from x10_jupyter.records.runtime_events import Executed
from x10_jupyter.records.sweep import length_ns

NOTHING: dict[TimeName, int] = dict.fromkeys(TIME_NAMES, 0)


def times(*events: Event, body_end_ns: int = 100, end_ns: int = 100) -> dict[str, int]:
    found = timeline(Kinds(events), thread=1, start_ns=0, body_end_ns=body_end_ns, end_ns=end_ns)
    (row,) = found.table([0], [end_ns], TIME_NAMES).tolist()
    return {name: ns for name, ns in zip(TIME_NAMES, row, strict=True) if ns}


def test_a_window_without_events_is_python() -> None:
    assert times() == {"python": 100}


def test_a_trace_ends_where_its_compile_begins_and_the_rest_is_python() -> None:
    events = [traced(10, 30), cut(30, 70), compiled(32, 60, phases={"trace": 3, "lower": 5, "compile": 20})]
    assert times(*events) == {"python": 40, "trace": 20 + 12 + 3, "lower": 5, "compile": 20}


def test_what_a_compile_spends_outside_its_phases_belongs_to_the_compile() -> None:
    assert times(compiled(0, 100, phases={"lower": 10, "compile": 20})) == {"lower": 10, "compile": 90}


def test_phases_never_reach_beyond_their_compile() -> None:
    assert times(compiled(0, 20, phases={"trace": 15, "lower": 15})) == {"trace": 15, "lower": 5, "python": 80}


def test_the_start_of_jax_is_that_whatever_needed_it_first() -> None:
    assert times(transferred(0, 50), started(10, 40)) == {"transfer": 20, "start": 30, "python": 50}
    events = [staged(0, 40, "lower"), started(10, 30), staged(40, 60), started(50, 60, thread=OTHER)]
    assert times(*events) == {"lower": 20, "start": 20, "compile": 20, "python": 40}
    assert making_ns(Kinds(events), 0, 100) == 60 - 20 - 10
    assert busy_ns(Kinds([started(10, 40, cpu_ns=25)]), thread=1, start_ns=0) == 25


def test_a_program_from_the_persistent_cache_was_read_and_not_compiled() -> None:
    assert times(compiled(0, 100, phases={"lower": 10}, cache="hit")) == {"lower": 10, "cache_read": 90}


def test_a_thread_executes_while_it_launches_and_while_a_read_waits_for_a_running_program() -> None:
    events = [executed(10, 15, 60), read(40, 70)]
    assert times(*events) == {"python": 10 + 25 + 30, "execute": 5 + 20, "read": 10}


def test_a_program_of_another_thread_keeps_a_read_waiting_but_is_not_launched_by_this_one() -> None:
    events = [executed(0, 30, 60, thread=OTHER), read(40, 70)]
    assert times(*events) == {"python": 70, "execute": 20, "read": 10}


def test_a_launch_that_waits_is_the_model_running() -> None:
    assert times(throttled(10, 40), throttled(50, 60, thread=OTHER), read(60, 70, is_jax=True, ready_ns=68)) == {"execute": 30 + 8, "read": 2, "python": 60}
    assert length_ns(device(Kinds([throttled(10, 40), throttled(30, 60, thread=OTHER)]))) == 50


def test_other_threads_take_no_time_of_this_one() -> None:
    assert times(compiled(0, 50, thread=OTHER), traced(0, 50, thread=OTHER), read(0, 50, thread=OTHER)) == {"python": 100}


def test_what_others_compile_while_this_one_waits_for_other_threads_is_compiling() -> None:
    compiles = [staged(10, 20, "trace", thread=OTHER), staged(20, 30, "lower", thread=OTHER), staged(30, 60, thread=OTHER)]
    assert times(*compiles, waited(15, 40), waited(45, 50), waited(90, 95)) == {"trace": 5, "lower": 10, "compile": 10 + 5, "python": 70}
    assert times(*compiles, waited(15, 40, thread=OTHER)) == {"python": 100}
    assert times(*compiles, waited(0, 100), compiled(25, 35, phases={}), staged(70, 75, thread=3)) == {"trace": 10, "lower": 5, "compile": 40, "python": 45}
    assert times(staged(10, 60, thread=OTHER), waited(0, 50), traced(0, 100)) == {"trace": 60, "compile": 40}


def test_a_fallback_executes_except_while_it_reads_or_transfers() -> None:
    assert times(fell_back(0, 50), read(10, 20), transferred(20, 25)) == {"execute": 35, "read": 10, "transfer": 5, "python": 50}


def test_waiting_for_the_device_at_the_end_is_drain_whatever_else_happens() -> None:
    assert times(executed(50, 60, 90), body_end_ns=70) == {"python": 60, "execute": 10, "drain": 30}


def test_python_takes_no_more_than_the_thread_can_have_run() -> None:
    time = with_unexplained({**NOTHING, "python": 80, "trace": 20}, cpu_ns=50)
    assert (time["python"], time["unexplained"], time["trace"]) == (50, 30, 20)


def test_a_thread_that_always_ran_leaves_nothing_unexplained() -> None:
    time = with_unexplained({**NOTHING, "python": 80}, cpu_ns=100)
    assert (time["python"], time["unexplained"]) == (80, 0)


def test_what_it_waited_for_a_core_is_no_longer_unexplained() -> None:
    time = with_unexplained({**NOTHING, "python": 80}, cpu_ns=50, queued_ns=20)
    assert (time["python"], time["contention"], time["unexplained"]) == (50, 20, 10)
    time = with_unexplained({**NOTHING, "python": 80}, cpu_ns=50, queued_ns=200)
    assert (time["python"], time["contention"], time["unexplained"]) == (50, 30, 0)
    time = with_unexplained({**NOTHING, "python": 80}, cpu_ns=50, queued_ns=-3)
    assert (time["contention"], time["unexplained"]) == (0, 30)


def test_a_part_of_it_belongs_to_what_else_needed_a_core() -> None:
    time = with_unexplained({**NOTHING, "python": 80, "trace": 150}, cpu_ns=50, queued_ns=20, unmeasured_ns=150)
    assert (time["python"], time["contention"], time["unexplained"], time["trace"]) == (50, 5, 25, 150)


@given(st.integers(0, 100), st.integers(-10, 100), st.integers(-10, 100), st.integers(0, 100))
def test_what_is_left_over_is_given_away_once(rest_ns: int, cpu_ns: int, queue_ns: int, other_ns: int) -> None:
    time = with_unexplained({**NOTHING, "python": rest_ns}, cpu_ns=cpu_ns, queued_ns=queue_ns, unmeasured_ns=other_ns)
    assert time["python"] + time["contention"] + time["unexplained"] == rest_ns
    assert 0 <= time["python"] <= max(cpu_ns, 0)
    assert 0 <= time["contention"] <= max(queue_ns, 0)
    assert time["unexplained"] >= 0


def test_waiting_for_a_core_within_events_is_counted_once_and_on_this_thread() -> None:
    events = [compiled(10, 60, queued_ns=30), staged(20, 50, queued_ns=25), collected(70, 80, queued_ns=9), staged(85, 95, thread=OTHER, queued_ns=10)]
    events += [read(61, 69, is_jax=True, queued_ns=4)]
    assert queued_ns(Kinds(events), thread=MAIN, start_ns=0) == 30 + 9 + 4
    assert queued_ns(Kinds(events), thread=MAIN, start_ns=15) == 25 + 9 + 4


def test_what_needs_a_core_and_tells_of_no_queue() -> None:
    events = Kinds(
        [
            traced(0, 30),
            staged(10, 20, "trace"),
            read(40, 50),
            read(50, 55, is_jax=True),
            read(60, 64, is_jax=True, is_sampled=True),
            traced(70, 90, thread=OTHER),
            staged(92, 98, "trace", thread=OTHER),
            waited(91, 99),
        ]
    )
    found = timeline(events, thread=MAIN, start_ns=0, body_end_ns=100, end_ns=100)
    assert unmeasured_ns(events, found, thread=MAIN, start_ns=0) == 30 - 10 + 10 + 4


def test_a_chain_executes_where_it_does_not_compile() -> None:
    assert times(cut(0, 60), chained(10, 50, compiling=((15, 25),))) == {"trace": 20, "execute": 30, "compile": 10, "python": 40}


def test_collecting_garbage_is_that_whatever_it_interrupts_and_only_on_its_own_thread() -> None:
    assert times(traced(0, 40), collected(10, 20), compiled(50, 90), collected(60, 70)) == {"trace": 30, "gc": 20, "compile": 30, "python": 20}
    assert times(collected(10, 20, thread=OTHER)) == {"python": 100}


def test_what_jax_makes_is_traced_lowered_and_compiled_or_read_from_the_cache() -> None:
    events = [staged(0, 10, "trace"), staged(12, 20, "lower"), staged(20, 50), staged(60, 65, cache="hit")]
    assert times(*events) == {"trace": 10, "lower": 8, "compile": 30, "cache_read": 5, "python": 47}


def test_a_program_that_is_compiled_while_another_is_traced_is_compiled() -> None:
    assert times(staged(0, 50, "trace"), staged(10, 20, "lower"), staged(20, 30)) == {"trace": 30, "lower": 10, "compile": 10, "python": 50}


def test_what_jax_tells_of_the_runtimes_own_compiles_changes_nothing() -> None:
    own = compiled(10, 80, phases={"trace": 10, "lower": 20, "compile": 40})
    assert times(own, staged(10, 19, "trace"), staged(21, 39, "lower"), staged(41, 78)) == times(own)


def test_cpu_time_that_events_account_for_is_counted_once_and_on_this_thread() -> None:
    events = [compiled(10, 60, cpu_ns=30), staged(20, 50, cpu_ns=25), collected(70, 80, cpu_ns=9), staged(85, 95, thread=OTHER, cpu_ns=10)]
    assert busy_ns(Kinds(events), thread=MAIN, start_ns=0) == 39
    assert busy_ns(Kinds(events), thread=MAIN, start_ns=15) == 25 + 9  # what had begun before is left out
    assert busy_ns(Kinds(traced_only()), thread=MAIN, start_ns=0) == 0


def traced_only() -> list[Event]:
    return [traced(0, 50)]


MAKERS: dict[str, Callable[..., Event]] = {
    "traced": lambda a, b, m, t: traced(a, b, thread=t),
    "cut": lambda a, b, m, t: cut(a, b, thread=t),
    "compiled": lambda a, b, m, t: compiled(a, b, thread=t, phases={"trace": m, "lower": 2}, cache="hit" if m % 2 else "none"),
    "executed": lambda a, b, m, t: executed(a, min(a + m, b), b, thread=t),
    "read": lambda a, b, m, t: read(a, b, thread=t),
    "transferred": lambda a, b, m, t: transferred(a, b, thread=t),
    "fell_back": lambda a, b, m, t: fell_back(a, b, thread=t, compiling=((a, min(a + m, b)),)),
    "chained": lambda a, b, m, t: chained(a, b, thread=t, compiling=((a, min(a + m, b)),)),
    "staged": lambda a, b, m, t: staged(a, b, ("trace", "lower", "compile")[m % 3], thread=t, cache="hit" if m == 5 else "none"),
    "collected": lambda a, b, m, t: collected(a, b, thread=t),
    "stepped": lambda a, b, m, t: stepped(a, b),
    "waited": lambda a, b, m, t: waited(a, b, thread=t),
    "throttled": lambda a, b, m, t: throttled(a, b, thread=t),
}
some_events = st.lists(
    st.builds(
        lambda kind, start, length, more, thread: MAKERS[kind](start, start + length, more, thread),
        st.sampled_from(sorted(MAKERS)), st.integers(-10, 60), st.integers(0, 30), st.integers(0, 8), st.sampled_from([MAIN, MAIN, OTHER]),
    ),
    max_size=10,
)  # fmt: skip


def covers(event: Event, time: int) -> bool:
    return event.start_ns <= time < event.end_ns


def phase(event: Any, time: int) -> tuple[int, str]:
    at, trace, lower = time - event.start_ns, event.phases["trace"], event.phases["lower"]
    return 80, "trace" if at < trace else "lower" if at < trace + lower else "cache_read" if event.cache == "hit" else "compile"


def stage(event: Any) -> tuple[int, str]:
    return (70, "cache_read") if (event.phase, event.cache) == ("compile", "hit") else ({"compile": 71, "lower": 69, "trace": 68}[event.phase], event.phase)


def launch_or_wait(event: Any, time: int, events: list[Event]) -> tuple[int, str] | None:
    if type(event).__name__ == "Executed":
        return (60, "execute") if time < event.launched_ns else None
    return (60, "execute") if any(type(other).__name__ == "Executed" and covers(other, time) for other in events) else (50, "read")


def doing(event: Any, time: int, events: list[Event]) -> tuple[int, str] | None:
    """What an event says that its thread does at a time, and how much that counts, written down anew: the highest wins."""
    kind = type(event).__name__
    if kind in ("Executed", "Read"):
        return launch_or_wait(event, time, events)
    if kind in ("FellBack", "Chained"):
        return (75, "compile") if any(start <= time < end for start, end in event.compiling) else (30, "execute")
    if kind in ("Compiled", "Staged"):
        return phase(event, time) if kind == "Compiled" else stage(event)
    if kind == "Waited":
        return others_compile(time, events)
    return {"Collected": (90, "gc"), "Throttled": (60, "execute"), "Transferred": (40, "transfer"), "Traced": (20, "trace"), "Cut": (20, "trace")}.get(kind)


def others_compile(time: int, events: list[Event]) -> tuple[int, str] | None:
    """What other threads make at a time, if they make anything: the highest phase of any of them."""
    others = [event for event in events if event.thread == OTHER and covers(event, time) and not isinstance(event, Executed | Read | Waited)]
    said = [one for event in others if (one := doing(event, time, events)) and one[1] in ("trace", "lower", "compile", "cache_read") and one[0] > 60]
    names = {name for rank, name in said if rank == max(rank for rank, _ in said)}
    return (25, min(names) if len(names) == 1 else "?") if names else None


@given(some_events, st.integers(30, 80))
def test_each_nanosecond_has_the_name_that_counts_most(found: list[Event], body_end_ns: int) -> None:
    expected: Counter[str] = Counter()
    for time in range(80):
        said = [one for event in found if event.thread == MAIN and covers(event, time) and (one := doing(event, time, found))]
        names = {name for rank, name in said if rank == max(rank for rank, _ in said)}
        expected["drain" if time >= body_end_ns else min(names) if len(names) == 1 else "?" if names else "python"] += 1
    got = times(*found, body_end_ns=body_end_ns, end_ns=80)
    # two compiles of one thread at the same moment cannot be; which of their phases counts is not said
    unsure = expected.pop("?", 0)
    assert sum(got.values()) == 80
    assert all(expected[name] <= got.get(name, 0) <= expected[name] + unsure for name in {*expected, *got})
