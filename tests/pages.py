"""HTML of views as tests read it: what it is made of, what it says, and what its pictures are."""

import re
from base64 import b64decode
from html.parser import HTMLParser
from xml.etree import ElementTree

ALLOWED = {
    "div": {"style"},
    "span": {"style", "title"},
    "table": {"style"},
    "tr": {"style"},
    "td": {"style"},
    "details": {"style"},
    "summary": {"style"},
    "img": {"alt", "src", "style"},
}
"""Elements and attributes that the sanitizer of an untrusted notebook leaves as they are."""
PICTURE = re.compile(r'src="data:image/svg\+xml;base64,([^"]*)"')
DRAWN = {"svg", "path", "rect", "text", "title", "g"}
"""Elements of pictures."""


class Page(HTMLParser):
    """Collects elements and attributes, and sees that every element is closed in order."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()
        self.tags: list[str] = []
        self.words = ""
        self.open: list[str] = []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found |= {(tag, name) for name, _ in attrs}
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def assert_survives(markup: str) -> Page:
    """Nothing in it that a sanitizer would take away, in the pictures neither."""
    page = Page(markup)
    assert set(page.tags) <= set(ALLOWED)
    assert all(name in ALLOWED[tag] for tag, name in page.found)
    for source in pictures(markup):
        for drawn in ElementTree.fromstring(source).iter():
            assert drawn.tag.removeprefix("{http://www.w3.org/2000/svg}") in DRAWN
            assert not any(name.startswith("on") or name in {"id", "style", "href"} for name in drawn.attrib)
    return page


def pictures(markup: str) -> list[str]:
    """The sources of all pictures, in order."""
    return [b64decode(found).decode() for found in PICTURE.findall(markup)]


def readable(markup: str) -> str:
    """The same with line breaks, pictures as their sources, so that a difference can be read."""
    shown = PICTURE.sub(lambda found: f'src="…">\n{b64decode(found[1]).decode()}<"', markup)
    return re.sub(r"(?<!^)<(?=div|tr|details|summary|img|path|text|rect|svg)", "\n<", shown)


def cells(markup: str) -> list[list[str]]:
    """The text of every row of every table."""
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", markup, re.DOTALL)]
    return [[Page(cell).words for cell in row] for row in rows]
