from collections import Counter

from factories import MS, OTHER, capture, compiled, executed, read, site, throttled, traced
from x10_jupyter.diagnosis.idle import Place, saved_by
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.events import Event
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Executed


def waited(start: int, ready: int, **fields: object) -> Read:
    return read(start * MS, ready * MS, ready_ns=ready * MS, is_jax=True, **fields)


def saved(made: Capture) -> Counter[Place]:
    return saved_by(made, is_jax=True)


HERE = ("float()", site(9))


def test_a_gap_is_saved_as_far_as_the_next_wait_is_as_long() -> None:
    assert saved(capture(waited(0, 10), waited(13, 20))) == {HERE: 3 * MS}
    assert saved(capture(waited(0, 10), waited(18, 20))) == {HERE: 2 * MS}


def test_it_belongs_to_the_read_after_which_the_device_was_idle() -> None:
    other = waited(12, 20, site=site(30), how=".item()")
    assert saved(capture(waited(0, 10), other)) == {HERE: 2 * MS}


def test_nothing_follows_the_last_and_nothing_is_saved_by_one() -> None:
    assert saved(capture(waited(0, 50))) == {}
    assert saved(capture()) == {}


def test_what_the_device_worked_in_the_gap_it_was_not_idle() -> None:
    assert saved(capture(waited(0, 10), waited(16, 30, beside_ns=4 * MS))) == {HERE: 2 * MS}
    assert saved(capture(waited(0, 10), waited(16, 30, beside_ns=9 * MS))) == {HERE: 0}
    assert saved(capture(waited(0, 10), waited(16, 30, beside_ns=None))) == {HERE: 6 * MS}
    assert saved(capture(waited(0, 10), waited(60, 99, beside_ns=None))) == {HERE: 10 * MS}, "of an unknown device ten"


def test_a_read_that_need_not_wait_lets_the_device_rest_on() -> None:
    assert saved(capture(waited(0, 10), waited(12, 12, beside_ns=1 * MS), waited(15, 30, beside_ns=1 * MS))) == {HERE: 3 * MS}


def test_while_something_is_compiled_no_read_keeps_the_device_idle() -> None:
    assert saved(capture(waited(0, 10), compiled(11 * MS, 17 * MS), waited(20, 40, beside_ns=0))) == {HERE: 4 * MS}


def test_while_a_launch_waits_the_device_works() -> None:
    assert saved(capture(waited(0, 10), throttled(12 * MS, 40 * MS), waited(45, 60))) == {HERE: (2 + 5) * MS}


def test_other_threads_and_tensors_do_not_count() -> None:
    assert saved(capture(waited(0, 10), waited(13, 20, thread=OTHER), read(30 * MS, 40 * MS))) == {}


def ran(start: int, end: int) -> Executed:
    return executed(start * MS, start * MS, end * MS)


def lazily(start: int, end: int, **fields: object) -> Read:
    return read(start * MS, end * MS, **fields)


def saved_lazily(*events: Event) -> Counter[Place]:
    return saved_by(capture(*events), is_jax=False)


def test_after_a_read_of_tensors_the_gap_lasts_until_something_is_launched() -> None:
    assert saved_lazily(ran(0, 10), lazily(0, 10), ran(14, 20)) == {HERE: 4 * MS}
    assert saved_lazily(ran(0, 3), lazily(0, 3), ran(14, 20)) == {HERE: 3 * MS}, "at most as long as it waited"
    assert saved_lazily(ran(0, 10), lazily(0, 10), traced(10 * MS, 14 * MS), compiled(14 * MS, 19 * MS), ran(20, 30)) == {HERE: 5 * MS}, "without the compile"


def test_of_several_reads_of_tensors_each_has_the_gap_after_it() -> None:
    other = lazily(13, 20, site=site(30), how=".item()")
    assert saved_lazily(ran(0, 10), lazily(0, 10), ran(13, 20), other, ran(25, 30)) == {HERE: 3 * MS, (".item()", site(30)): 5 * MS}


def test_after_the_last_launch_no_read_of_tensors_costs_anything() -> None:
    assert saved_lazily(ran(40, 90), lazily(40, 90)) == {HERE: 0}
    assert saved_lazily(ran(40, 90), lazily(40, 60), lazily(60, 90)) == {HERE: 0}
    assert saved_lazily(lazily(0, 90)) == {}
