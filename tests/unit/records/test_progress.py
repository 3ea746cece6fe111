import pytest

from factories import MS, OTHER, collected, compiled, compiling, counted, cut, executed, fell_back, read, sized, staged, stepped, throttled, transferred
from x10_jupyter.records.events import Event
from x10_jupyter.records.progress import LATELY, Tally
from x10_jupyter.records.runtime_events import Failed


def test_nothing_has_happened_at_first() -> None:
    found = Tally(100).progress(350)
    assert (found.elapsed_ns, found.quiet_ns) == (250, 250)
    assert (found.steps, found.compiled, found.runs, found.reads, found.last, found.compiling) == (0, 0, 0, 0, None, None)


def test_events_are_counted_by_what_they_are() -> None:
    tally = Tally(0)
    tally.add([transferred(0, 1), transferred(0, 1, direction="from_device"), compiled(1, 4), read(5, 6), fell_back(6, 7)])
    tally.add([executed(4, 5, 8), executed(6, 7, 9), stepped(0, 9), counted(3, {"DestroyXlaTensor": 1})])
    found = tally.progress(20)
    assert (found.transfers, found.transferred_bytes) == (1, 8192)
    assert (found.steps, found.compiled, found.compile_ns, found.runs, found.reads, found.fallbacks) == (1, 1, 3, 2, 1, 1)
    assert found.last_compile == compiled(1, 4)


def test_what_jax_compiles_for_itself_is_counted_apart() -> None:
    tally = Tally(0)
    tally.add([staged(0, 5), staged(6, 7, "lower"), staged(8, 9, is_own=True), collected(10, 11)])
    found = tally.progress(20)
    assert (found.compiled, found.jax_compiled, found.jax_compile_ns, found.last) == (0, 1, 5, staged(6, 7, "lower"))


def test_a_loop_that_only_launches_is_seen_at_its_line() -> None:
    tally = Tally(0)
    tally.add([throttled(0, 5), executed(6, 7, 9)])
    found = tally.progress(20)
    assert (found.last, found.quiet_ns, found.waits) == (throttled(0, 5), 15, 0)


def test_the_rate_is_that_of_lately() -> None:
    tally = Tally(0)
    rate = 0.0
    for turn in range(1, 2 * LATELY):
        tally.add([stepped(0, turn)] * (1 if turn < LATELY else 4))
        rate = tally.progress(turn * 500 * MS).rate
    assert rate == 8


def test_what_is_being_compiled_is_known_until_it_ends() -> None:
    tally = Tally(0)
    tally.add([compiling(10)])
    found = tally.progress(50)
    assert (found.compiling, found.compiling_ns) == (compiling(10), 40)
    tally.add([compiled(10, 60)])
    assert tally.progress(70).compiling is None


def test_a_compile_that_fails_or_is_interrupted_does_not_go_on_for_ever() -> None:
    tally = Tally(0)
    for end in (
        Failed(start_ns=5, end_ns=5, thread=compiling(0).thread, site=None, program="", phase="compile", message="too large"),
        cut(0, 5),
        stepped(0, 5),
    ):
        tally.add([compiling(1)])
        assert tally.progress(2).compiling is not None
        tally.add([end])
        assert tally.progress(6).compiling is None


def test_of_what_jax_compiles_only_the_size_is_known_beforehand() -> None:
    tally = Tally(0)
    tally.add([staged(0, 10, "trace", function="step"), sized(10, function="step")])
    found = tally.progress(50)
    assert (found.compiling, found.large, found.compiling_ns) == (None, sized(10, function="step"), 40)
    tally.add([staged(10, 30, "lower", function="step"), collected(31, 32), staged(33, 34, is_own=True)])
    assert tally.progress(60).large is not None
    tally.add([staged(30, 65, function="step")])
    assert (tally.progress(70).large, tally.progress(70).compiling_ns) == (None, 0)


def test_the_size_of_what_the_runtime_compiles_ends_with_it() -> None:
    tally = Tally(0)
    tally.add([sized(9, thread=OTHER), compiling(10), sized(10, maker="runtime")])
    found = tally.progress(50)
    assert (found.compiling, found.large, found.compiling_ns) == (compiling(10), sized(10, maker="runtime"), 40)
    tally.add([staged(11, 12, "trace", is_own=True), compiled(10, 60)])
    assert (tally.progress(70).compiling, tally.progress(70).large) == (None, sized(9, thread=OTHER))


@pytest.mark.parametrize("end", [staged(20, 21, "trace", function="other"), staged(20, 21, "lower", function="other"), cut(20, 21), stepped(0, 21)])
def test_a_large_program_that_fails_does_not_go_on_for_ever(end: Event) -> None:
    tally = Tally(0)
    tally.add([sized(10, function="step"), end])
    assert tally.progress(30).large is None


def test_reads_of_jaxs_arrays_are_counted_as_waits() -> None:
    tally = Tally(0)
    tally.add([read(0, 1), read(1, 2, is_jax=True), read(2, 3, is_jax=True)])
    found = tally.progress(10)
    assert (found.reads, found.waits) == (1, 2)


def test_of_several_threads_that_compile_the_longest_is_told() -> None:
    tally = Tally(0)
    first, second = compiling(10), compiling(5, thread=OTHER)
    tally.add([first, second, read(11, 12)])
    assert tally.progress(50).compiling == second
    tally.add([compiled(5, 60, thread=OTHER)])
    assert tally.progress(70).compiling == first


def test_what_ended_last_is_what_the_users_code_did() -> None:
    tally = Tally(0)
    tally.add([read(0, 1), stepped(0, 2), executed(0, 1, 9), counted(3, {"DestroyXlaTensor": 1})])
    tally.add([])
    found = tally.progress(10)
    assert (found.last, found.quiet_ns) == (stepped(0, 2), 8)
