"""Pages that need nothing else, as tests read them."""

import re
from html.parser import HTMLParser

ASKING = {"src", "href", "srcset", "data", "poster", "action", "formaction", "background", "cite", "ping", "manifest", "xlink:href"}
"""Attributes by which a page asks for something."""
DATA = re.compile(r"application/[\w.]+\+json$")
VOID = {"img", "meta", "br", "hr", "input", "link"}


class StandAlone(HTMLParser):
    """Reads a page; what it asks for, what it would run, and what it says."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.asks: list[str] = []
        self.runs: list[str] = []
        self.tags: list[str] = []
        self.targets: set[str] = set()
        self.words = ""
        self.data: list[str] = []
        """What stands in it for programs to read, which no browser runs."""
        self.is_data = False
        self.open: list[str] = []
        self.styles: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []
        self.asks += [url for style in self.styles for url in re.findall(r"url\([^)]*|@import[^;]*", style)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        is_data = tag == "script" and DATA.match(dict(attrs).get("type") or "")
        self.data += [""] if is_data else []
        self.is_data = bool(is_data)
        if not is_data and tag in {"script", "iframe", "object", "embed", "link", "base"}:
            self.runs.append(tag)
        self.look(attrs)

    def look(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name.startswith("on"):
                self.runs.append(name)
            elif name == "style":
                self.styles.append(value or "")
            elif name == "id":
                self.targets.add(f"#{value}")
            elif name in ASKING:
                self.asks.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:  # which may be closed at once
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["style"]:
            self.styles.append(data)
        elif self.open[-1:] == ["script"] and self.is_data:
            self.data[-1] += data
        else:
            self.words += data


def assert_stands_alone(page: str) -> StandAlone:
    """It asks for nothing but what stands in it, and runs nothing."""
    found = StandAlone(page)
    assert found.runs == []
    assert [url for url in found.asks if not url.startswith("data:image/") and url not in found.targets] == []
    assert "default-src 'none'" in page
    return found
