import pytest

from factories import read
from stage import Stage
from x10_jupyter.base.errors import UsageError
from x10_jupyter.session.kept import LISTENERS, Kept, tell
from x10_jupyter.session.result import Capture


def made(stage: Stage, name: str = "", events: int = 0) -> Capture:
    with stage.capture(name) as capturing:
        for at in range(events):
            stage.events.emit(read(at, at + 1))
    return capturing.capture


@pytest.fixture
def kept(stage: Stage) -> Kept:
    found = Kept()
    for name, cell in (("warm up", 2), ("", 3), ("train", 5), ("train", 8), ("script", None)):
        found.add(made(stage, name), cell)
    return found


@pytest.mark.parametrize(
    ("wanted", "cells"),
    [
        ([], [2, 3, 5, 8, None]),
        (["3"], [3]),
        (["3-7"], [3, 5]),
        (["8", "2"], [2, 8]),
        (["train"], [5, 8]),
        (["train", "5", "script"], [5, 8, None]),
        (["warm up"], [2]),
    ],
)
def test_by_cell_or_name_in_the_order_they_were_made(kept: Kept, wanted: list[str], cells: list[int | None]) -> None:
    assert [entry.cell for entry in kept.chosen(wanted)] == cells


@pytest.mark.parametrize("wanted", ["4", "6-7", "7-3", "eval", "-", ""])
def test_one_that_there_is_not_is_told_with_those_there_are(kept: Kept, wanted: str) -> None:
    with pytest.raises(UsageError, match=r"There is no such capture in this kernel; got .*There is warm up, 2, 3, train, 5, 8, script\."):
        kept.chosen([wanted])


def test_without_any_it_says_how_to_make_one() -> None:
    with pytest.raises(UsageError, match=r"this kernel has none\. Put %%x10trace on a cell"):
        Kept().chosen([])


def test_the_oldest_make_room(stage: Stage) -> None:
    kept = Kept(most=2)
    for cell in range(5):
        kept.add(made(stage), cell)
    assert [entry.cell for entry in kept.entries] == [3, 4]
    assert kept.known() == "There is 3, 4; 3 older ones had to make room."


def test_so_do_they_for_many_events_but_the_last_is_there_always(stage: Stage) -> None:
    kept = Kept(most_events=10)
    for cell, events in enumerate((4, 4, 4, 50)):
        kept.add(made(stage, events=events), cell)
        held = sum(len(entry.capture.events) for entry in kept.entries)
        assert held <= 10 or len(kept.entries) == 1
    assert [entry.cell for entry in kept.entries] == [3]


def test_cleared(kept: Kept) -> None:
    kept.clear()
    assert not kept.entries


def test_the_last_one_is_kept_once_with_what_is_known_of_it_last(stage: Stage) -> None:
    found, one = Kept(), made(stage)
    for cell in (None, 4):
        found.add(one, cell)
    assert [entry.cell for entry in found.entries] == [4]


def test_who_listens_is_told_and_what_it_raises_stays_there(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Capture] = []

    def broken(_: Capture) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("x10_jupyter.session.kept.LISTENERS", [broken, told.append])
    one = made(stage)
    tell(one)
    assert told == [one]
    assert LISTENERS == []
