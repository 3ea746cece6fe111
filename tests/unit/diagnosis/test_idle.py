from factories import MS, OTHER, capture, compiled, read, site
from x10_jupyter.diagnosis.idle import saved_by
from x10_jupyter.records.process_events import Read


def waited(start: int, ready: int, **fields: object) -> Read:
    return read(start * MS, ready * MS, ready_ns=ready * MS, is_jax=True, **fields)


HERE = ("float()", site(9))


def test_a_gap_is_saved_as_far_as_the_next_wait_is_as_long() -> None:
    assert saved_by(capture(waited(0, 10), waited(13, 20))) == {HERE: 3 * MS}
    assert saved_by(capture(waited(0, 10), waited(18, 20))) == {HERE: 2 * MS}


def test_it_belongs_to_the_read_after_which_the_device_was_idle() -> None:
    other = waited(12, 20, site=site(30), how=".item()")
    assert saved_by(capture(waited(0, 10), other)) == {HERE: 2 * MS}


def test_nothing_follows_the_last_and_nothing_is_saved_by_one() -> None:
    assert saved_by(capture(waited(0, 50))) == {}
    assert saved_by(capture()) == {}


def test_what_the_device_worked_in_the_gap_it_was_not_idle() -> None:
    assert saved_by(capture(waited(0, 10), waited(16, 30, beside_ns=4 * MS))) == {HERE: 2 * MS}
    assert saved_by(capture(waited(0, 10), waited(16, 30, beside_ns=9 * MS))) == {HERE: 0}
    assert saved_by(capture(waited(0, 10), waited(16, 30, beside_ns=None))) == {HERE: 6 * MS}
    assert saved_by(capture(waited(0, 10), waited(60, 99, beside_ns=None))) == {HERE: 10 * MS}, "of an unknown device ten"


def test_a_read_that_need_not_wait_lets_the_device_rest_on() -> None:
    assert saved_by(capture(waited(0, 10), waited(12, 12, beside_ns=1 * MS), waited(15, 30, beside_ns=1 * MS))) == {HERE: 3 * MS}


def test_while_something_is_compiled_no_read_keeps_the_device_idle() -> None:
    assert saved_by(capture(waited(0, 10), compiled(11 * MS, 17 * MS), waited(20, 40, beside_ns=0))) == {HERE: 4 * MS}


def test_other_threads_and_tensors_do_not_count() -> None:
    assert saved_by(capture(waited(0, 10), waited(13, 20, thread=OTHER), read(30 * MS, 40 * MS))) == {}
