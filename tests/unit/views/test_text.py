from collections.abc import Callable
from dataclasses import replace

import pytest

from captures import hostile, restarted, training
from factories import capture, site
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.runtime_events import Failed
from x10_jupyter.views.text import fitted, text


def test_a_training_loop(golden: Callable[[str, str], None]) -> None:
    golden("training.txt", text(training()))


def test_an_idle_cell(golden: Callable[[str, str], None]) -> None:
    golden("idle.txt", text(capture()))


def test_a_hostile_capture(golden: Callable[[str, str], None]) -> None:
    golden("hostile.txt", text(hostile()))


@pytest.mark.parametrize("made", [training(), hostile(), restarted(), capture()], ids=["training", "hostile", "restarted", "idle"])
def test_never_more_than_twelve_lines_of_160_columns(made: Capture) -> None:
    failed = [Failed(start_ns=0, end_ns=1, thread=1, site=site(4), program=f"p{which}", phase="execute", message="m" * 300) for which in range(3)]
    lines = text(replace(made, name="n" * 300, error="e" * 300, events=(*failed, *made.events))).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 160


BLOCKS = ("time", "findings", "compiled", "steps", "operations", "memory", "totals", "thinned", "incomplete", "failures", "fallbacks", "reads", "retraced")


def test_where_there_is_more_the_less_important_gives_way() -> None:
    full = dict.fromkeys([*BLOCKS, "slow calls"], 1) | {"findings": 2, "compiled": 2}
    left = fitted(full, 11)
    assert sum(left.values()) == 11
    assert (left["findings"], left["compiled"], left["totals"], left["slow calls"], left["retraced"], left["reads"]) == (1, 1, 0, 0, 0, 1)
    assert fitted(full, 16) == full


def test_what_is_not_shown_is_counted_also_where_a_line_is_cut_off() -> None:
    assert text(hostile()).count("(and 29 others)") == 3


def test_programs_that_were_read_from_the_persistent_cache(golden: Callable[[str, str], None]) -> None:
    golden("restarted.txt", text(restarted()))
