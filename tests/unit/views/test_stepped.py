"""What the chart and the tables of steps say is checked against the steps themselves."""

import re
from math import floor
from xml.etree import ElementTree

import pytest

from factories import MS, capture, compiled, read, stepped, traced
from pages import assert_survives, cells, pictures
from x10_jupyter.base.units import duration
from x10_jupyter.records.events import Event
from x10_jupyter.records.step import Steps
from x10_jupyter.views.stepped import BARS, BOTTOM, HEIGHT, TOP, longest_table, percentiles, steps, summary, thinned
from x10_jupyter.views.theme import COLOURS


def made(count: int, long: dict[int, int] | None = None) -> Steps:
    """Steps of 2 ms tracing each, but for some that are longer, since they compile."""
    events: list[Event] = []
    at = 0
    for index in range(count):
        more = (long or {}).get(index, 0) * MS
        events += [traced(at, at + 2 * MS), stepped(at, at + 2 * MS + more, index + 7)]
        if more:
            events.append(compiled(at + 2 * MS, at + 2 * MS + more))
        at += 2 * MS + more
    return capture(*events, end_ns=at).steps


def bars(section: str) -> list[tuple[str, float, float]]:
    """Colour, place and length of each bar, from left to right."""
    drawn = ElementTree.fromstring(pictures(section)[0])
    found = [
        (path.attrib["stroke"], float(x), (HEIGHT - BOTTOM - float(top)) / (HEIGHT - TOP - BOTTOM))
        for path in drawn
        if "stroke-width" in path.attrib
        for x, top in re.findall(rf"M([\d.]+) {HEIGHT - BOTTOM}V([\d.]+)", path.attrib["d"])
    ]
    return sorted(found, key=lambda bar: bar[1])


def texts(section: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(pictures(section)[0]) if text.tag.endswith("text")]


def test_a_bar_for_each_step_as_long_as_it_took_and_coloured_by_what_it_was() -> None:
    found = bars(steps(made(20, {4: 18, 11: 8})))
    assert len(found) == 20
    assert [place for place, (colour, _, _) in enumerate(found) if colour == COLOURS["compile"]] == [4, 11]
    assert {colour for colour, _, _ in found} == {COLOURS["trace"], COLOURS["compile"]}
    assert [length for _, _, length in found] == pytest.approx([1.0 if p == 4 else 0.5 if p == 11 else 0.1 for p in range(20)], abs=0.01)


def test_spikes_stand_out_and_are_named() -> None:
    section = steps(made(20, {4: 18, 11: 8}))
    solid = [path.attrib["stroke"] for path in ElementTree.fromstring(pictures(section)[0]) if path.attrib.get("stroke-opacity") == "1"]
    assert solid == [COLOURS["compile"]]
    assert "5: compile 20.0 ms" in texts(section)
    assert "20 steps, median 2.00 ms, longest 20.0 ms (number 5: compile); 2 spikes: 2 compile" in assert_survives(section).words


def test_axes_say_their_units() -> None:
    written = texts(steps(made(20, {4: 18})))
    assert [text for text in written if "ms" in text and ":" not in text] == ["5 ms", "10 ms", "15 ms", "20 ms"]
    assert [text for text in written if text.isdigit()] == ["0", "1", "5", "10", "15", "20"]
    assert "step (one bar each)" in written


def test_one_spike_among_a_hundred_thousand_is_there() -> None:
    found = made(100_000, {76_543: 50})
    assert len(thinned(found)) <= BARS
    section = steps(found)
    (tall,) = [bar for bar in bars(section) if bar[0] == COLOURS["compile"]]
    assert tall[2] == pytest.approx(1, abs=0.01)
    assert "76,544: compile 52.0 ms" in texts(section)
    assert "step (each bar is the longest of 295)" in texts(section)
    assert len(section) < 60_000


@pytest.mark.parametrize("count", [1, 2, BARS, BARS + 1, 3 * BARS - 1])
def test_each_step_is_in_one_bar_only_and_bars_are_the_longest(count: int) -> None:
    found = made(count, {place: place % 5 for place in range(0, count, 3)})
    each = -(-count // BARS)
    walls = [step.wall_ns for step in found]
    assert [walls[place] for place in thinned(found)] == [max(walls[start : start + each]) for start in range(0, count, each)]


def test_where_some_are_much_longer_the_axis_is_by_powers_of_ten() -> None:
    section = steps(made(20, {4: 998}))
    found = bars(section)
    assert found[4][2] == pytest.approx(1, abs=0.01)
    assert "step (one bar each; time by powers of ten)" in texts(section)
    assert found[0][2] == pytest.approx(0.1, abs=0.01), "2 ms is log10(2) of three decades from 1 ms up"
    assert [text for text in texts(section) if text in ("1 ms", "10 ms", "100 ms", "1 s")] == ["1 ms", "10 ms", "100 ms", "1 s"]


def test_percentiles_are_x10s() -> None:
    found = made(30, {place: place for place in range(30)})
    walls = sorted(step.wall_ns for step in found)
    told = [f"{p} % {duration(walls[floor(p * 30 / 100)])}" for p in (1, 5, 10, 20, 50, 80, 90, 95, 99)]
    assert assert_survives(percentiles(found)).words.strip() == " ".join([*told, f"longest {duration(walls[-1])}"])


def test_the_longest_are_named_with_what_they_were() -> None:
    header, first, *rest = cells(longest_table(made(20, {4: 18, 11: 8})))
    assert header == ["step", "time", "", "ended at", "what it was"]
    assert first == ["5", "20.0 ms", "spike", "cell [4] line 8", "compile 18.0 ms, trace 2.00 ms"]
    assert [row[:3] for row in rest[:2]] == [["12", "10.0 ms", "spike"], ["1", "2.00 ms", ""]]
    assert len(rest) == 9


def one(*events: Event) -> Steps:
    return capture(stepped(0, 10 * MS, 3), *events).steps


def test_one_step_and_none() -> None:
    assert summary(one(read(0, 9 * MS))) == "1 step, 10.0 ms, most of it read"
    assert assert_survives(steps(one())).words.startswith("Steps1 step, 10.0 ms, most of it python")
    assert steps(capture().steps) == ""


def test_steps_that_are_all_alike() -> None:
    assert summary(made(3)) == "3 steps, median 2.00 ms, longest 2.00 ms (number 1: trace); no spikes"


def test_steps_without_length() -> None:
    assert_survives(steps(capture(stepped(5, 5, 0), stepped(5, 5, 1)).steps))
