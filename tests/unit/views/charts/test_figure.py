"""A chart is a figure of plotly; where no plotly draws it, it still says what it shows."""

import copy
import pickle

import plotly.graph_objects as go
import plotly.io as pio
import pytest
from IPython.core.formatters import DisplayFormatter

from captures import weighed_training
from pages import assert_survives
from reports import PERCENTILES, page_samples
from x10_jupyter.views.charts.chart import KINDS, chart
from x10_jupyter.views.charts.figure import MIME, Chart


@pytest.fixture(autouse=True)
def in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """What plotly takes for its renderer depends on where it was first imported; this is what it takes in a notebook."""
    monkeypatch.setattr(pio.renderers, "default", "plotly_mimetype")


def made(kind: str = "steps") -> Chart:
    return chart(weighed_training(), kind, metrics=[page_samples()], fractions=PERCENTILES)


def test_each_kind_has_its_facts_in_three_forms() -> None:
    for kind in KINDS:
        bundle = made(kind)._repr_mimebundle_()
        assert {MIME, "text/html", "text/plain"} <= set(bundle)
        assert {type(bundle[form]) for form in ("text/html", "text/plain")} == {str}
        assert assert_survives(bundle["text/html"]).words
        assert bundle["text/plain"]


def test_a_notebook_shows_all_of_them() -> None:
    bundle, _ = DisplayFormatter().format(made())
    assert {MIME, "text/html", "text/plain"} <= set(bundle)
    assert "40 steps, median" in bundle["text/html"]
    assert bundle["text/plain"] == "Steps, by what their time was (a figure of plotly: `.show()` opens it)"


def test_it_can_be_changed_and_copied_as_any_other() -> None:
    changed = made().update_layout(title="mine")
    assert isinstance(changed, go.Figure)
    assert changed._repr_mimebundle_()[MIME]["layout"]["title"]["text"] == "mine"
    for other in (copy.deepcopy(changed), pickle.loads(pickle.dumps(changed)), go.Figure(changed)):
        assert other.to_dict() == changed.to_dict()


def test_without_facts_there_is_no_html() -> None:
    alone = Chart({"data": [], "layout": {}}).shown_as("", "a chart")
    assert ("text/html" in alone._repr_mimebundle_(), alone._repr_mimebundle_()["text/plain"][:7]) == (False, "a chart")
