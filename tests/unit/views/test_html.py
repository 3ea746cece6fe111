import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from captures import hostile, restarted, training
from factories import capture
from x10_jupyter.records.capture import Capture
from x10_jupyter.views.html import html

ALLOWED = {"div", "span", "table", "tr", "td", "details", "summary"}


class Reader(HTMLParser):
    """Collects elements and attributes, and that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(made: Capture) -> Reader:
    reader = Reader()
    reader.feed(html(made))
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("made", [training(), hostile(), capture()], ids=["training", "hostile", "idle"])
def test_only_what_a_sanitizer_lets_pass(made: Capture) -> None:
    reader = parsed(made)
    assert reader.tags <= ALLOWED
    assert reader.attributes <= {"style"}


def test_what_the_user_wrote_is_text() -> None:
    reader = parsed(hostile())
    assert "<script>alert('x')</script>" in reader.text
    assert "<i>fix</i>" in reader.text
    assert len(html(hostile())) < 60_000


@pytest.mark.parametrize("made", [training(), hostile()], ids=["training", "hostile"])
def test_text_and_background_are_the_pages_own(made: Capture) -> None:
    styles = re.findall(r'style="([^"]*)"', html(made))
    properties = [declaration.partition(":")[::2] for style in styles for declaration in style.split(";")]
    assert {value for name, value in properties if name == "color"} <= {"inherit"}
    assert all("black" not in value and "white" not in value for name, value in properties if name == "background")


def test_the_bar_is_as_wide_as_the_time() -> None:
    widths = [float(width) for width in re.findall(r"height:12px;width:([\d.]+)%", html(training()))]
    assert sum(widths) == pytest.approx(100, abs=0.01)
    assert widths == sorted(widths, reverse=True)


def test_few_reads_stand_in_the_line_and_many_are_folded() -> None:
    assert "<details" not in html(training())
    assert "float() f32[] at cell [4] line 9, 40 times" in parsed(training()).text
    assert html(hostile()).count("<details") == 3


def test_a_training_loop(golden: Callable[[str, str], None]) -> None:
    golden("training.html", html(training()).replace("<div", "\n<div").replace("<tr", "\n<tr").strip())


def test_a_hostile_capture(golden: Callable[[str, str], None]) -> None:
    golden("hostile.html", html(hostile()).replace("<div", "\n<div").replace("<tr", "\n<tr").strip())


def test_programs_that_were_read_from_the_persistent_cache(golden: Callable[[str, str], None]) -> None:
    golden("restarted.html", html(restarted()).replace("<div", "\n<div").replace("<tr", "\n<tr").strip())
