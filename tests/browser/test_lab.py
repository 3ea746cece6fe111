"""What a reader of a notebook sees in JupyterLab and in Notebook 7."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Locator, ViewportSize, expect

from lab_server import Server

PATIENCE_MS = 60_000
VIEWPORT: ViewportSize = {"width": 1280, "height": 1000}
CONTRAST = 128
"""Of text to background, in lightness from 0 to 255."""
VIEW = "div.jp-RenderedHTMLCommon.jp-OutputArea-output"
HOSTS = {
    "Lab, trusted": "lab/tree/trusted.ipynb?reset",
    "Lab, untrusted": "lab/tree/untrusted.ipynb?reset",
    "Notebook 7, untrusted": "notebooks/untrusted.ipynb",
}


class Text(HTMLParser):
    """All text of a piece of HTML, and how many of each element."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.words = ""
        self.tags: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def markup(notebook: NotebookNode) -> str:
    """The HTML of the notebook's view."""
    (found,) = [output.data["text/html"] for cell in notebook.cells for output in cell.outputs if "text/html" in output.get("data", {})]
    return found


@pytest.fixture(params=HOSTS, scope="module")
def view(request: pytest.FixtureRequest, browser: Browser, lab: Server) -> Iterator[Locator]:
    """The view in each host; all tests look at one page, since it takes seconds to open."""
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(f"{lab.url}/{HOSTS[request.param]}")
    found = page.locator(VIEW).first
    expect(found).to_be_visible(timeout=PATIENCE_MS)
    yield found
    page.close()


def test_nothing_of_the_view_is_lost(view: Locator, executed: NotebookNode) -> None:
    written = Text(markup(executed))
    assert (view.text_content() or "").split() == written.words.split(), "the sanitizer has taken some text"
    for tag in set(written.tags):
        assert view.locator(tag).count() >= written.tags.count(tag), f"the sanitizer has taken {tag}"
    for image in view.locator("img").all():
        assert image.evaluate("image => image.complete && image.naturalWidth > 0"), "a picture is not shown"


def test_the_answer_comes_first_and_causes_stand_in_a_table(view: Locator) -> None:
    first, *_ = view.inner_text().splitlines()
    assert re.match(r"uneven batches: .*compil", first)
    expect(view.locator("td", has_text="shape f32[32,8] → f32[").first).to_be_visible()


def test_what_is_folded_opens_and_closes(view: Locator) -> None:
    fold = view.locator("details", has=view.page.locator("summary", has_text="reads")).first
    inside = fold.locator(":scope > :not(summary)").first
    expect(inside).to_be_hidden()
    fold.locator("summary").first.click()
    expect(inside).to_be_visible()
    assert "float() f32[] at cell [2] line " in fold.inner_text()
    fold.locator("summary").first.click()
    expect(inside).to_be_hidden()


def test_a_graph_opens_as_a_picture_and_as_a_table_with_the_lines(view: Locator) -> None:
    graph = view.locator("details", has=view.page.locator("summary", has_text="nodes")).first
    graph.locator("summary").first.click()
    expect(graph.locator("img").first).to_be_visible()
    assert (graph.locator("img").first.get_attribute("alt") or "").startswith("Boxes of ")
    table = graph.locator("table")
    expect(table).to_be_hidden()
    graph.locator("summary", has_text="as a table").click()
    expect(table.locator("td", has_text="matmul").first).to_be_visible()
    assert re.search(r"cell \[2\] line \d+", table.inner_text())


def test_text_stands_out_in_both_themes(view: Locator, pictures: Path, request: pytest.FixtureRequest) -> None:
    page, name = view.page, request.node.callspec.id.replace(", ", "_").replace(" ", "_").lower()
    for theme in ("dark", "light"):
        page.get_by_role("menuitem", name="Settings").click()
        page.get_by_text("Theme", exact=True).hover()
        page.get_by_text(f"JupyterLab {theme.capitalize()}", exact=True).click()
        expect(page.locator(f"body[data-jp-theme-light={str(theme == 'light').lower()}]")).to_be_attached()
        view.screenshot(path=pictures / f"{name}_{theme}.png")
        text, background = view.evaluate("node => [getComputedStyle(node).color, getComputedStyle(node.closest('.jp-Notebook')).backgroundColor]")
        assert abs(lightness(text) - lightness(background)) > CONTRAST
        assert (lightness(text) > lightness(background)) == (theme == "dark")


def lightness(colour: str) -> float:
    """From 0 to 255, of ``rgb(r, g, b)``."""
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3
