import pytest

from standalone import assert_stands_alone
from x10_jupyter.views.document import document
from x10_jupyter.views.markup import Markup, element


def test_a_page_stands_alone_and_follows_the_theme() -> None:
    page = document("a </title> & b", element("p", "<hello>"))
    found = assert_stands_alone(page)
    assert "<title>a &lt;/title&gt; &amp; b</title>" in page
    assert "color-scheme: light dark" in page
    assert "<hello>" in found.words


@pytest.mark.parametrize(
    "inside", ['<img src="https://x.org/a.png">', '<a href="//x.org">', "<script></script>", '<p onclick="f()">', "<style>@import 'a'</style>"]
)
def test_what_does_not_stand_alone_would_be_found(inside: str) -> None:
    closing = {"<a ": "</a>", "<p ": "</p>"}.get(inside[:3], "")
    with pytest.raises(AssertionError):
        assert_stands_alone(document("t", Markup(inside + closing)))
