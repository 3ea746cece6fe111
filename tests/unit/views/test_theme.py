"""Colours that show on white and on near-black alike."""

import re

import pytest

from x10_jupyter.records.accounting import TIME_NAMES
from x10_jupyter.views.theme import COLOURS, INK


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_every_name_of_the_time_has_a_colour_of_its_own() -> None:
    assert list(COLOURS) == list(TIME_NAMES)
    assert len(set(COLOURS.values())) == len(TIME_NAMES)


@pytest.mark.parametrize("colour", COLOURS.values(), ids=COLOURS.keys())
def test_it_stands_out_on_light_and_on_dark(colour: str) -> None:
    assert re.fullmatch("#[0-9a-f]{6}", colour)
    light = luminance(colour)
    assert 1.05 / (light + 0.05) > 1.9, "on white"
    assert (light + 0.05) / (luminance("#111111") + 0.05) > 3, "on near-black"


def test_text_in_pictures_has_as_much_contrast_to_white_as_to_near_black() -> None:
    on_white, on_black = 1.05 / (luminance(INK) + 0.05), (luminance(INK) + 0.05) / (luminance("#111111") + 0.05)
    assert on_white > 3.9
    assert on_black > 3.9
