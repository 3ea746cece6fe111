"""``jupyter nbconvert --to x10report``: a whole notebook as one page that needs nothing else, in the look of a report.

nbconvert finds it by the entry point in `pyproject.toml`; nothing else imports it, since nbconvert comes with an extra.
"""

from typing import Any

from nbconvert.exporters.html import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters.html import HtmlFormatter
from traitlets import default
from traitlets.config import Config

from x10_jupyter.records.wire import MIME, embedded
from x10_jupyter.views.document import STYLE, document
from x10_jupyter.views.markup import Markup, join

SHOWN = ["text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/latex", "text/plain"]
"""Forms of an output, the preferred first. Scripts are none of them: the page runs nothing."""

CELLS = """\
.cell { margin: 18px 0; }
.prompt { font: 12px ui-monospace, monospace; opacity: 0.6; }
.prompt:empty, .anchor-link, .output_prompt { display: none; }
.output { margin: 6px 0; overflow-x: auto; }
.output_text pre { background: none; margin: 0; padding: 2px 0; }
.output_stderr pre { border-left: 3px solid #e0703c; padding-left: 10px; }
.text_cell_render h1, .text_cell_render h2, .text_cell_render h3 { border: none; margin: 20px 0 6px; padding: 0; }
.highlight { background: none; }
"""


def colours() -> str:
    """A sheet for highlighted code, for light and for dark pages."""
    light, dark = (HtmlFormatter(style=style, nobackground=True).get_style_defs(".highlight") for style in ("default", "github-dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


class ReportExporter(HTMLExporter):
    """Makes the page."""

    export_from_notebook = "X10 report"
    """What the menu of JupyterLab calls it."""

    @default("template_name")
    def _without_a_page(self) -> str:
        return "basic"  # cells without a page around them

    @default("embed_images")
    def _with_its_pictures(self) -> bool:
        return True  # pictures that lie beside the notebook

    @property
    def default_config(self) -> Config:
        """What holds where the user has not configured something else."""
        made = Config()
        made.merge(super().default_config)
        made.merge(Config({"NbConvertBase": {"display_data_priority": SHOWN}, "HighlightMagicsPreprocessor": {"languages": {"%%x10trace": "python"}}}))
        return made

    def from_notebook_node(self, nb: NotebookNode, resources: dict[str, Any] | None = None, **more: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401 - as nbconvert has it
        """The page of a notebook, and what nbconvert tells of it."""
        cells, told = super().from_notebook_node(nb, resources, **more)
        title = nb.metadata.get("title") or told.get("metadata", {}).get("name") or "Notebook"
        return document(str(title), join(Markup(cells), *data_of(nb)), style=STYLE + CELLS + colours()), told


def data_of(notebook: NotebookNode) -> list[Markup]:
    """The captures that are outputs of a notebook, as data that `load_capture` reads and nothing runs."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ()) if MIME in output.get("data", {})]
    return [Markup(embedded(output["data"][MIME])) for output in outputs]
