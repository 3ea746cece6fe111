from dataclasses import replace

from factories import (
    ENVIRONMENT,
    MAIN,
    MS,
    OTHER,
    capture,
    compiled,
    cut,
    executed,
    fell_back,
    pending,
    read,
    retraced,
    site,
    sized,
    staged,
    stepped,
    traced,
    waited,
)
from x10_jupyter.diagnosis.folding import fold
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Failed
from x10_jupyter.records.size import Callback
from x10_jupyter.records.thinning import Thinning
from x10_jupyter.views import phrases
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text


def test_reads_and_fallbacks_are_counted_by_line() -> None:
    made = capture(read(0, 1), read(1, 2), read(2, 3, site=None, how="numpy", aval="f32[3]"), fell_back(3, 4))
    assert phrases.reads(made) == ["float() f32[] at cell [4] line 9, 2 times", "numpy f32[3]"]
    assert phrases.fallbacks(made) == ["nonzero (its result's shape depends on values) at cell [4] line 11"]


def test_of_jaxs_own_arrays_it_is_said_that_only_waits_are_counted() -> None:
    waited = [read(at, at + 1, is_jax=True) for at in range(3)]
    made = capture(*waited, read(4, 5, how="numpy", aval="", is_jax=True, is_sampled=True), read(5, 6, how=".item()", is_jax=True))
    assert phrases.reads(made) == [
        "float() f32[] at cell [4] line 9, waited for 3 times",
        "numpy, seen at cell [4] line 9",
        ".item() f32[] at cell [4] line 9, waited for once",
    ]


def test_compiles_side_by_side_are_told_to_who_adds_up_their_rows() -> None:
    made = [compiled(0, 40 * MS), compiled(5 * MS, 45 * MS, thread=OTHER), compiled(45 * MS, 50 * MS)]
    told = "side by side on 2 threads: the rows add up to 85.0 ms"
    assert phrases.added_up(capture(*made)) == told
    assert f"compiling 50.0 ms ({told}), " in phrases.totals(capture(*made))
    assert f"S{told[1:]}, and 50.0 ms went by." in html(capture(*made), {})
    one_by_one = [compiled(0, 40 * MS), compiled(40 * MS, 80 * MS, thread=OTHER)]
    assert phrases.added_up(capture(*one_by_one)) == phrases.added_up(capture()) == ""
    assert "side by side" not in html(capture(*one_by_one), {})


def test_what_has_not_run_at_the_end_is_told_with_what_runs_it() -> None:
    assert phrases.pending(capture(pending(100 * MS, 1))) == "; 1 operation waits for a read or `x10.barrier()`"
    assert phrases.pending(capture(pending(100 * MS, 340))) == "; 340 operations wait for a read or `x10.barrier()`, best at the end of the loop's body"
    assert phrases.pending(capture(pending(20 * MS, 340))) == "", "what waited before has run, or is told at the end"


def test_calls_that_are_traced_again_are_counted_by_line() -> None:
    made = capture(retraced(1), retraced(2), retraced(3, op="loss", reads="a\nb"))
    assert phrases.retraced(made) == [
        "scores (reads Tokenizer, which cannot be seen into) at cell [4] line 13, 2 times",
        "loss (reads a b, which cannot be seen into) at cell [4] line 13",
    ]


def test_shares_leave_out_what_took_no_time() -> None:
    assert phrases.shares(capture(traced(0, 30 * MS))) == [("python", 70 * MS), ("trace", 30 * MS)]


def test_what_was_read_from_the_persistent_cache_was_not_compiled() -> None:
    hit, miss = compiled(0, 5 * MS, cache="hit", phases={"compile": 2 * MS}), compiled(5 * MS, 9 * MS, cache="miss")
    assert phrases.compiled(capture(hit)) == "1 program read from the cache in 5.00 ms"
    assert phrases.compiled(capture(hit, hit, miss)) == "1 program compiled and 2 programs read from the cache in 9.00 ms"
    assert [phrases.found(group) for group in fold(capture(hit, hit, miss).compiles)] == ["read from the cache in 4.00 ms", ""]


def test_what_was_compiled_on_other_threads_says_so() -> None:
    events = [compiled(0, 5, thread=OTHER), compiled(6, 9, thread=OTHER), compiled(20, 30, thread=3), compiled(40, 50), waited(1, 2)]
    made = capture(*events)
    first, second, third, mine = made.compiles
    assert phrases.elsewhere(made, [first]) == "on another thread"
    assert phrases.elsewhere(made, [second]) == "on another thread, and whether this one waited for it is not known"
    assert phrases.elsewhere(made, [first, second, third]) == "on other threads"
    assert phrases.elsewhere(made, [second, third]) == "on other threads, and whether this one waited for them is not known"
    assert (phrases.elsewhere(made, [mine]), phrases.elsewhere(made, [first, mine])) == ("", "")
    assert "on other threads: first time at cell [4] line 7" in text(capture(*events[:3], waited(1, 2)))
    assert "on other threads" in html(capture(*events[:3], waited(1, 2)), {})


def test_of_a_loop_of_ordinary_jax_it_is_said_why_there_are_no_steps() -> None:
    reads = [read(at, at + 1, is_jax=True) for at in range(3)]
    compiles = [staged(at * 10, at * 10 + 5, program=f"jit(step).{at}") for at in range(3)]
    told = "none; where a turn of a loop of ordinary JAX ends nobody tells: call `x10.barrier()` there, and each is a step"
    for made in (capture(*reads), capture(*compiles)):
        assert phrases.unstepped(made) == told
        assert f"steps       {told}" in text(made)
        assert told in html(made, {})
    for made in (
        capture(*reads[:2]),
        capture(*compiles[:2]),
        capture(*reads, stepped(0, 3)),
        capture(*[replace(one, is_jax=False) for one in reads]),
        capture(*[replace(one, thread=OTHER) for one in (*reads, *compiles)]),
        capture(*[replace(one, site=site(at)) for at, one in enumerate(reads)]),
        capture(*[replace(one, is_eager=True) for one in compiles]),
    ):
        assert phrases.unstepped(made) == ""
        assert "steps       none" not in text(made)


def test_other_captures_are_told_of() -> None:
    told = "1 other capture was open on other threads; what those threads did is told there, and here only while this one waited for them"
    made = capture(beside=1)
    assert phrases.beside(made) == told
    assert f"beside      {told}" in text(made)
    assert told in html(made, {})
    assert (phrases.beside(capture()), "beside" in text(capture())) == ("", False)
    assert phrases.beside(capture(beside=2)).startswith("2 other captures were open")


def test_failures_are_told_with_their_line() -> None:
    failed = Failed(start_ns=0, end_ns=1, thread=1, site=site(4), program="p1", phase="compile", message="Out of memory\nmore")
    assert phrases.failures(capture(failed, failed)) == ["p1 could not compile (Out of memory more) at cell [4] line 4, 2 times"]


def test_x10s_percentiles() -> None:
    assert list(map(phrases.percent, phrases.FRACTIONS)) == ["1 %", "5 %", "10 %", "20 %", "50 %", "80 %", "90 %", "95 %", "99 %"]


def test_programs_and_steps_are_counted() -> None:
    made = capture(compiled(0, 40 * MS), stepped(0, 50 * MS, 0), stepped(50 * MS, 70 * MS, 1))
    assert (phrases.compiled(made), phrases.stepped(made)) == ("1 program compiled in 40.0 ms", "2 steps in 30.0 ms")
    assert (phrases.compiled(capture()), phrases.stepped(capture())) == ("nothing compiled", "")


def long_loop() -> Capture:
    """A capture of 1,000 steps that holds the last few."""
    thinning, held = Thinning(thread=MAIN, start_ns=0), list[Event]()
    for index in range(1_000):
        start = index * MS
        held += [traced(start, start + MS // 4), read(start + MS // 2, start + MS), stepped(start, start + MS, index)]
        if len(held) > 60:
            held, _ = thinning.fold(held, 30)
    return capture(*sorted(held, key=lambda event: event.start_ns), end_ns=1_000 * MS, thinned=thinning.result(held))


def test_a_long_capture_says_that_it_is_thinned_and_counts_all() -> None:
    made = long_loop()
    assert phrases.thinned(made).startswith("2,9")
    assert phrases.thinned(made).endswith(" are summed up: totals are exact, 1,000 of 1,000 steps are shown")
    assert phrases.stepped(made) == "1,000 steps in 1.00 s"
    assert phrases.reads(made) == ["float() f32[] at cell [4] line 9, 1,000 times"]
    assert phrases.thinned(capture()) == ""
    assert "thinned     2,9" in text(made)
    assert "are summed up" in html(made, {})


def test_of_plain_code_that_ran_on_lazy_tensors_it_is_told_what_was_merged() -> None:
    cuts = [cut(0, 1, ops=30), cut(1, 2, ops=30), cut(2, 3, ops=4, program="p2"), cut(3, 4, ops=7, program=None)]
    assert phrases.totals(replace(capture(*cuts), is_plain=True)).startswith("64 operations in 3 runs of 2 programs, tracing ")
    assert phrases.totals(capture(*cuts)).startswith("tracing ")
    assert phrases.totals(replace(capture(), is_plain=True)).startswith("tracing ")


def test_functions_that_call_python_back_are_named_once_with_their_line() -> None:
    back = Callback(op="debug_print", site=site(4))
    made = capture(sized(0, ops=5, lines=(), callbacks=(back,)), sized(1, ops=5, lines=(), callbacks=(back, Callback(op="io_callback", site=None))))
    slow = "each call of it leaves JAX's fast path, 150 µs and more instead of 7 (measured on a CPU)"
    assert phrases.called_back(made) == [
        f"`train` calls Python back by debug_print at cell [4] line 4: {slow}",
        f"`train` calls Python back by io_callback: {slow}",
    ]
    assert "slow calls  `train` calls Python back by debug_print at cell [4] line 4" in text(made)
    assert "2 slow calls: " in html(made, {})
    assert phrases.called_back(capture(sized(0))) == []


def test_what_it_ran_on_says_how_lazy_tensors_were_recorded_where_some_ran() -> None:
    compiled, python = [replace(ENVIRONMENT, compiled_recording=each) for each in (True, False)]
    assert (
        phrases.environment(capture(executed(0, 1, 2), environment=compiled))
        == "cpu with 2 cores, jax 0.10.2, Python 3.11.7, lazy tensors recorded by compiled code"
    )
    assert phrases.environment(capture(executed(0, 1, 2), environment=python)) == "cpu with 2 cores, jax 0.10.2, Python 3.11.7, lazy tensors recorded in Python"
    assert (
        phrases.environment(capture(executed(0, 1, 2))) == phrases.environment(capture(environment=compiled)) == "cpu with 2 cores, jax 0.10.2, Python 3.11.7"
    )
