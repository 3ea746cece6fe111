from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from screen import Screen
from x10_jupyter.magics.place import Place, place_in


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_what_is_shown_first_makes_the_place_and_what_comes_then_replaces_it(screen: Screen) -> None:
    with Place(screen) as place:
        assert place.show({"text/plain": "1"})
        assert place.show({"text/plain": "2"}, {"text/plain": {"isolated": True}})
    first, second = screen.shown
    assert (first.text, first.update) == ("1", False)
    assert (second.text, second.update, second.metadata) == ("2", True, {"text/plain": {"isolated": True}})
    assert first.id == second.id == place.id


def test_two_places_are_apart(screen: Screen) -> None:
    assert Place(screen).id != Place(screen).id


def test_when_the_cell_clears_its_output_the_place_is_gone(screen: Screen) -> None:
    with Place(screen) as place:
        screen.clear_output()
        assert place.show({"text/plain": "1"})
        screen.clear_output()
        assert not place.show({"text/plain": "2"})
    assert [each.text for each in screen.shown] == ["1"]


def test_nobody_listens_afterwards(screen: Screen) -> None:
    with Place(screen):
        assert screen.hooks
    assert not screen.hooks


def test_only_a_front_end_that_can_replace_has_places(shell: InteractiveShell, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place_in(shell) is None
    front: Any = screen
    monkeypatch.setattr(shell, "display_pub", front, raising=False)
    assert isinstance(place_in(shell), Place)
