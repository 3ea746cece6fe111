"""A notebook as one page, without a kernel."""

import json

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from captures import training
from standalone import StandAlone, assert_stands_alone
from x10_jupyter.exporter import ReportExporter
from x10_jupyter.records.wire import MIME
from x10_jupyter.session.result import Capture

MARKDOWN = "# Title\n\nSome *text*, `code`, $x^2$ and a [link](#Title)."


def notebook(*outputs: NotebookNode) -> NotebookNode:
    cells = [new_markdown_cell(MARKDOWN), new_code_cell("for x in batches:\n    step(x)  # <b>", outputs=list(outputs), execution_count=3)]
    made = new_notebook(cells=cells)
    nbformat.validate(made)
    return made


def shown(**data: str) -> NotebookNode:
    """An output; names of forms with ``_`` for ``/``."""
    return new_output("display_data", {name.replace("_", "/", 1): text for name, text in data.items()})


def page_of(made: NotebookNode) -> str:
    return ReportExporter().from_notebook_node(made)[0]


def test_text_code_and_views_on_a_page_that_stands_alone() -> None:
    made = training()
    bundle = Capture(**{name: getattr(made, name) for name in made.__dataclass_fields__})._repr_mimebundle_()
    page = page_of(notebook(new_output("display_data", bundle), new_output("stream", name="stdout", text="epoch \x1b[1m1\x1b[0m <i>")))
    found = assert_stands_alone(page)
    assert StandAlone(bundle["text/html"]).words in found.words  # nbconvert writes quotation marks in another way
    assert page.count("<!DOCTYPE html>") == page.count("<body>") == 1
    for text in ("Title", "Some text, code, $x^2$", "for x in batches:", "step(x)", "# <b>", "In\xa0[3]:", "epoch 1 <i>"):
        assert text in found.words
    assert "prefers-color-scheme: dark" in page
    assert len(page) - len(bundle["text/html"]) - len(found.data[0]) < 40_000
    assert json.loads(found.data[0]) == bundle[MIME]


def test_of_several_forms_the_best_that_runs_nothing() -> None:
    page = page_of(notebook(shown(application_javascript="go()", text_plain="the text"), shown(text_html="<p>rich</p>", text_plain="poor")))
    words = assert_stands_alone(page).words
    assert "the text" in words
    assert "rich" in words
    assert "poor" not in words
    assert "go()" not in page


def test_a_cell_under_the_magic_is_highlighted_as_python() -> None:
    made = new_notebook(cells=[new_code_cell("%%x10trace epoch\nfor x in batches:\n    step(x)")])
    assert '<span class="k">for</span>' in page_of(made)


def test_a_title_of_its_own() -> None:
    made = notebook()
    made.metadata["title"] = "Digits </title>"
    assert "<title>Digits &lt;/title&gt;</title>" in page_of(made)


def test_pictures_of_an_output_stand_in_the_page() -> None:
    page = page_of(notebook(shown(image_png="aGk=", text_plain="<Figure>")))
    assert 'src="data:image/png;base64,aGk="' in page
    assert_stands_alone(page)
