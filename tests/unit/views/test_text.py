from collections.abc import Callable

from captures import hostile, restarted, training
from factories import capture
from x10_jupyter.views.text import text


def test_a_training_loop(golden: Callable[[str, str], None]) -> None:
    golden("training.txt", text(training()))


def test_an_idle_cell(golden: Callable[[str, str], None]) -> None:
    golden("idle.txt", text(capture()))


def test_a_hostile_capture(golden: Callable[[str, str], None]) -> None:
    golden("hostile.txt", text(hostile()))


def test_never_more_than_twelve_lines() -> None:
    assert len(text(training()).splitlines()) <= 12
    assert len(text(hostile()).splitlines()) <= 12


def test_programs_that_were_read_from_the_persistent_cache(golden: Callable[[str, str], None]) -> None:
    golden("restarted.txt", text(restarted()))
