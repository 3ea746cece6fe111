"""Shares are checked against sums made here."""

import re

import pytest

from captures import training
from factories import MS, capture, traced
from pages import Page, assert_survives, cells
from x10_jupyter.records.accounting import TIME_NAMES
from x10_jupyter.views.phrases import MEANING
from x10_jupyter.views.theme import COLOURS
from x10_jupyter.views.timebar import bar, numbers, timebar


def test_the_bar_is_as_wide_as_the_time_and_each_part_as_its_share() -> None:
    made = training()
    parts = re.findall(r'<span title="(\w+): [^"]*" style="[^"]*width:([\d.]+)%;background:(#\w+)', bar(made))
    assert sum(float(width) for _, width, _ in parts) == pytest.approx(100, abs=0.01)
    for name, width, colour in parts:
        assert float(width) == pytest.approx(made.time[name] / made.wall_ns * 100, abs=1e-4)
        assert colour == COLOURS[name]
    assert {name for name, _, _ in parts} == {name for name, ns in made.time.items() if ns}


def test_the_table_has_every_name_and_its_sum_is_the_wall_time() -> None:
    made = training()
    _, *rows, total = cells(numbers(made))
    assert [row[0] for row in rows] == list(TIME_NAMES) == list(MEANING)
    nanoseconds = [int(row[1].replace(",", "")) for row in rows]
    assert nanoseconds == list(made.time.values())
    assert sum(nanoseconds) == made.wall_ns == int(total[1].replace(",", ""))
    assert [row[3] for row in rows] == [f"{ns / made.wall_ns * 100:.1f} %" for ns in nanoseconds]
    assert total[3] == "100.0 %"


def test_what_is_unexplained_is_shown_as_such() -> None:
    page = assert_survives(timebar(capture(traced(0, 30 * MS), cpu_ns=50 * MS)))
    assert "unexplained 20.0 ms, 20 %" in page.words
    assert "python 50.0 ms, 50 %" in page.words


def test_a_pointer_over_a_part_tells_what_it_is() -> None:
    assert 'title="trace: 30.0 ms, 30 % (operations recorded, and traced by JAX)"' in bar(capture(traced(0, 30 * MS)))


def test_a_window_without_length_has_no_bar() -> None:
    assert Page(timebar(capture(end_ns=0))).words == ""
