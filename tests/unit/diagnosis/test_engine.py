"""Each nanosecond is blamed on one thing at most, whatever the events."""

import random
from dataclasses import replace
from math import isclose

from hypothesis import given, settings
from hypothesis import strategies as st

from captures import hostile, restarted, training
from factories import MAIN, MS, OTHER, capture, collected, compiled, cut, executed, fell_back, read, site, staged, stepped, traced, transferred
from x10_jupyter.diagnosis.claim import LEAST
from x10_jupyter.diagnosis.engine import RULES, findings, found
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Compiled

SHAPE = Cause(kind="shape", where="x", old="f32[32,64]", new="f32[17,64]", fix="Pad the last batch.", site=site(7))
CONFIG = Cause(kind="config", where="jax_enable_x64", old="False", new="True", site=site(8))

LONG = 10 * MS
"""So that a twentieth of a hundred of them is long enough to be a finding."""

lengths = st.tuples(st.integers(0, 99), st.integers(0, 60)).map(lambda pair: (pair[0], pair[0] + pair[1]))
threads = st.sampled_from([MAIN, MAIN, MAIN, OTHER])


@st.composite
def events(draw: st.DrawFn) -> Event:
    (start, end), thread = draw(lengths), draw(threads)
    phases = {"trace": draw(st.integers(0, 20)), "lower": draw(st.integers(0, 20))}
    cause = draw(st.sampled_from([Cause(kind="first"), SHAPE, CONFIG]))
    makes = [
        lambda: compiled(start, end, thread=thread, cause=cause, phases=phases, function=draw(st.sampled_from(["train", "test"]))),
        lambda: staged(start, end, draw(st.sampled_from(["trace", "lower", "compile"])), thread=thread),
        lambda: read(start, end, thread=thread, site=site(draw(st.integers(1, 3)))),
        lambda: transferred(start, end, thread=thread),
        lambda: fell_back(start, end, thread=thread),
        lambda: executed(start, start + (end - start) // 3, end, thread=thread),
        lambda: collected(start, end, thread=thread),
        lambda: traced(start, end, thread=thread),
        lambda: cut(start, end, thread=thread, ops=2),
        lambda: stepped(start, end, draw(st.integers(0, 5))),
    ]
    return draw(st.sampled_from(makes))()


def ordered(some: list[Event]) -> list[Event]:
    return sorted(some, key=lambda event: event.start_ns)


@settings(deadline=None)  # a busy machine
@given(st.lists(events(), max_size=25), st.integers(0, 100))
def test_shares_are_parts_of_the_whole_and_in_order(some: list[Event], cpu_ns: int) -> None:
    made = findings(capture(*ordered(some), end_ns=100, body_end_ns=90, cpu_ns=cpu_ns))
    shares = [one.share for one in made]
    assert all(0 < share <= 1 for share in shares)
    assert shares == sorted(shares, reverse=True)
    faults = [one for one in made if one.kind not in ("healthy", "unexplained")]
    assert sum(one.share for one in faults) <= 1 + 1e-9
    assert all(one.share >= LEAST and one.title and one.evidence_for for one in faults)
    assert all(isclose(one.share, one.seconds * 1e9 / 100) for one in made)


@settings(deadline=None)  # a busy machine
@given(st.lists(events(), max_size=25), st.randoms(use_true_random=False))
def test_the_order_of_events_makes_no_difference_to_their_time(some: list[Event], shuffle: random.Random) -> None:
    other = [*some]
    shuffle.shuffle(other)
    one, two = [
        {(finding.kind, finding.site): finding.share for finding in findings(capture(*ordered(each), end_ns=100, cpu_ns=100))} for each in (some, other)
    ]
    assert one == two


@settings(deadline=None)  # a busy machine
@given(st.lists(events(), max_size=12).filter(lambda some: any(isinstance(event, Compiled) for event in some)))
def test_compiling_counts_each_nanosecond_once(some: list[Event]) -> None:
    """By brute force: a part of the time is that of a compile again if any covers it, of a first one if only such do. What is too little takes nothing away."""
    mine = [replace(event, function="train") for event in some if isinstance(event, Compiled) and event.thread == MAIN]
    mine = [event if event.cause.kind == "first" else replace(event, cause=SHAPE) for event in mine]
    again = {at for event in mine if event.cause.kind != "first" for at in range(event.start_ns, min(event.end_ns, 100))}
    firsts = {at for event in mine if event.cause.kind == "first" for at in range(event.start_ns, min(event.end_ns, 100))}
    first = firsts - again if len(again) >= 5 else firsts
    expected = {kind: len(taken) / 100 for kind, taken in (("recompile", again), ("warm_up", first)) if len(taken) >= 5}
    mine = [replace(event, start_ns=event.start_ns * LONG, end_ns=event.end_ns * LONG, phases={}) for event in mine]
    made = findings(capture(*ordered(mine), end_ns=100 * LONG, cpu_ns=100 * LONG))
    assert {one.kind: one.share for one in made if one.kind in ("recompile", "warm_up")} == expected


def test_what_several_claim_belongs_to_the_first() -> None:
    made = capture(compiled(0, 600 * MS), compiled(200 * MS, 500 * MS, cause=SHAPE), end_ns=1000 * MS)
    both = {one.kind: one.seconds for one in found(made)}
    assert both == {"recompile": 0.3, "warm_up": 0.3}
    assert {one.kind: one.seconds for one in found(made, RULES[::-1])} == {"warm_up": 0.6}


def test_the_steps_that_it_took_time_from_are_named() -> None:
    steps = [stepped(start * MS, (start + 20) * MS, 7 + place) for place, start in enumerate(range(0, 100, 20))]
    (one,) = findings(capture(*steps, compiled(30 * MS, 50 * MS, cause=SHAPE)))
    assert one.steps == (8, 9)


def test_less_than_a_twentieth_is_no_finding() -> None:
    assert [one.kind for one in findings(capture(compiled(0, 100 * MS), end_ns=2000 * MS))] == ["warm_up"]
    assert findings(capture(compiled(0, 100 * MS - 1), end_ns=2000 * MS)) == ()


def test_what_nobody_notices_is_no_finding_however_short_the_cell() -> None:
    """Only a recompile is one: it is not its time in this cell that matters."""
    assert [one.kind for one in findings(capture(collected(0, 50 * MS)))] == ["gc"]
    assert findings(capture(collected(0, 50 * MS - 1), end_ns=60 * MS)) == ()
    assert findings(capture(compiled(0, 2 * MS), collected(2 * MS, 3 * MS), end_ns=8 * MS)) == ()
    assert [one.kind for one in findings(capture(compiled(0, 2 * MS, cause=SHAPE), collected(2 * MS, 3 * MS), end_ns=8 * MS))] == ["recompile"]


def test_they_are_found_once() -> None:
    made = training()
    assert findings(made) is findings(made)
    assert made == training(), "what it keeps is no part of the record"


def test_a_window_without_length_has_none() -> None:
    assert findings(capture(end_ns=0)) == ()


def test_made_up_captures() -> None:
    assert [(one.kind, round(one.share, 2)) for one in findings(training())] == [("warm_up", 0.29), ("recompile", 0.24), ("sync", 0.13)]
    assert [one.kind for one in findings(restarted())] == ["warm_up"]
    assert findings(hostile()) == ()
