"""HTML as a sanitizer sees it."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Collects elements, attributes and text, and that every element is closed in order."""

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


def parsed(html: str) -> Reader:
    """What some HTML holds; it is whole."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader
