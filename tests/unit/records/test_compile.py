"""A compile as a reader finds it: seconds, not nanoseconds."""

from typing import Any, cast

import pytest

from factories import FIRST, MS, OTHER, chained, compiled, fell_back, site, staged, started
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.compile import from_event, from_events


def test_from_an_event() -> None:
    made = from_event(compiled(5 * MS, 255 * MS, phases={"trace": 50 * MS, "lower": 20 * MS, "compile": 180 * MS}))
    assert (made.seconds, dict(made.phases)) == (0.25, {"trace": 0.05, "lower": 0.02, "compile": 0.18})
    assert (made.function, made.program, made.ops, made.cache, made.cause) == ("train", "p1", 10, "none", FIRST)
    assert (made.call_site, made.definition_site) == (site(7), site(3))


def test_it_cannot_be_changed() -> None:
    made = from_event(compiled(0, MS, phases={"trace": MS}))
    with pytest.raises(TypeError, match="does not support item assignment"):
        cast(Any, made.phases)["trace"] = 0


def test_what_jax_made_has_the_phases_that_it_told_of() -> None:
    events = [staged(0, 1 * MS, "trace"), staged(2 * MS, 4 * MS, "lower"), staged(5 * MS, 9 * MS, cache="miss", site=site(8))]
    (made,) = from_events(events)
    assert (made.seconds, dict(made.phases)) == (0.007, {"trace": 0.001, "lower": 0.002, "compile": 0.004})
    assert (made.function, made.program, made.ops, made.cache, made.maker) == ("step", "jit(step)", None, "miss", "jax")
    assert (made.call_site, made.definition_site, made.cause.kind) == (site(8), None, "unknown")


def test_phases_belong_together_by_name_and_thread() -> None:
    events = [
        staged(0, 1, "trace", function="f"),
        staged(1, 2, "trace", function="g"),
        staged(2, 4, "lower", function="f"),
        staged(3, 5, "lower", function="f", thread=OTHER),
        staged(4, 8, function="f"),
        staged(9, 12, function="f"),
    ]
    assert [dict(made.phases) for made in from_events(events)] == [{"trace": 1e-9, "lower": 2e-9, "compile": 4e-9}, {"compile": 3e-9}]


def test_a_trace_begins_a_program_anew_and_alone_is_none() -> None:
    events = [staged(0, 5, "trace"), staged(5, 7, "lower"), staged(10, 11, "trace"), staged(12, 16)]
    (made,) = from_events(events)
    assert dict(made.phases) == {"trace": 1e-9, "compile": 4e-9}
    assert from_events([staged(0, 5, "trace")]) == ()


def test_what_jax_tells_of_the_runtimes_own_work_is_no_second_compile() -> None:
    events = [
        compiled(0, 10),
        staged(2, 9),
        chained(12, 20),
        staged(13, 14),
        fell_back(20, 30),
        staged(21, 29),
        staged(21, 29, thread=OTHER, function="elsewhere"),
        staged(31, 33, function="later"),
        staged(34, 36, function="helper", is_own=True),
    ]
    assert [(made.function, made.maker) for made in from_events(events)] == [("train", "runtime"), ("elsewhere", "jax"), ("later", "jax")]


def test_whether_it_is_a_recompile() -> None:
    assert [from_event(compiled(0, 1, cause=Cause(kind=kind))).is_recompile for kind in ("first", "shape", "unknown")] == [False, True, True]
    changed = Cause(kind="shape", old="f32[3]", new="f32[4]")
    assert [made.is_recompile for made in from_events([staged(0, 1), staged(2, 3, cause=changed)])] == [False, True]


def test_what_is_compiled_while_a_function_is_traced_is_no_part_of_it() -> None:
    inner = [staged(20, 30, "lower", function="sin"), staged(30, 60, function="sin")]
    elsewhere = staged(10, 90, "lower", function="cos", thread=OTHER)
    events = [staged(0, 100, "trace"), elsewhere, *inner, staged(100, 110, "lower"), staged(110, 150)]
    found = {one.function: dict(one.phases) for one in from_events(events)}
    assert found == {"step": {"trace": 60e-9, "lower": 10e-9, "compile": 40e-9}, "sin": {"lower": 10e-9, "compile": 30e-9}}
    assert sum(sum(phases.values()) for phases in found.values()) == pytest.approx(150e-9)


def test_the_start_of_jax_is_no_part_of_what_was_the_first_to_need_it() -> None:
    (made,) = from_events([staged(0, 10, "trace"), staged(10, 100, "lower"), started(20, 80), staged(100, 150)])
    assert dict(made.phases) == {"trace": 10e-9, "lower": 30e-9, "compile": 50e-9}
    (lazy,) = from_events([compiled(0, 100, phases={"lower": 60, "compile": 40}), started(10, 50), started(60, 90, thread=OTHER)])
    assert (lazy.seconds, dict(lazy.phases)) == (60e-9, {"lower": 20e-9, "compile": 40e-9})
