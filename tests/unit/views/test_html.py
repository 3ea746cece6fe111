import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captures import hostile, restarted, training
from factories import FIRST, MS, capture, compiled, fell_back, read, retraced, site, stepped
from pages import Page, assert_survives, readable
from x10_jupyter.metrics.registry import folded
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.views import html as page


def html(made: Capture) -> str:
    return page.html(made, folded(made.events))


@pytest.mark.parametrize("made", [training(), hostile(), restarted(), capture(), capture(end_ns=0)], ids=["training", "hostile", "restarted", "idle", "empty"])
def test_only_what_a_sanitizer_lets_pass(made: Capture) -> None:
    assert_survives(html(made))


HOSTILE = st.text() | st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' style='x", "]]>", "&lt;", "\x00\ud800", "</details>"])


@settings(max_examples=60)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_whatever_the_user_wrote_is_text(name: str, value: str, reason: str) -> None:
    cause = Cause(kind="constant", where=value, old=reason, new=name, fix=value, site=site(1, cell=None, function=name), nearest=name)
    made = capture(
        compiled(0, 40 * MS, function=name, program=value, cause=cause),
        compiled(50 * MS, 60 * MS, cause=FIRST),
        read(60 * MS, 61 * MS, how=name, aval=value),
        fell_back(61 * MS, 62 * MS, op=name, reason=reason),
        retraced(62 * MS, op=name, reads=value),
        stepped(0, 50 * MS),
        name=name,
        error=f"{value}: {reason}",
    )
    assert_survives(html(made))


def test_what_the_user_wrote_is_there_as_text() -> None:
    words = Page(html(hostile())).words
    assert "<script>alert('x')</script>" in words
    assert "<i>fix</i>" in words
    assert len(html(hostile())) < 120_000


@pytest.mark.parametrize("made", [training(), hostile()], ids=["training", "hostile"])
def test_text_and_background_are_the_pages_own(made: Capture) -> None:
    styles = re.findall(r'style="([^"]*)"', html(made))
    properties = [declaration.partition(":")[::2] for style in styles for declaration in style.split(";")]
    assert {value for name, value in properties if name == "color"} <= {"inherit"}
    assert all("black" not in value and "white" not in value for name, value in properties if name == "background")


def test_few_reads_stand_in_the_line_and_many_are_folded() -> None:
    assert "float() f32[] at cell [4] line 9, 40 times" in Page(html(training())).words
    assert re.findall(r"<summary[^>]*>(30 reads|30 fallbacks|30 calls traced again)</summary>", html(hostile())) == [
        "30 fallbacks",
        "30 reads",
        "30 calls traced again",
    ]
    assert "and 18 other lines" in Page(html(hostile())).words


def test_the_answer_comes_first() -> None:
    words = Page(html(training())).words
    first = "29 % of 2.10 s was compiling `train` for the first time"
    again = "24 % compiling `train` again: `x` shape f32[32,64] → f32[17,64] at cell [4] line 7"
    assert words.startswith(f"{first}; {again}; 2 programs")


@pytest.mark.parametrize("made", [training, hostile, restarted], ids=lambda made: made.__name__)
def test_a_whole_view(made: Callable[[], Capture], golden: Callable[[str, str], None]) -> None:
    golden(f"{made.__name__}.html", readable(html(made())))
