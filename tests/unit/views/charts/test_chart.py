import subprocess
import sys

import plotly.graph_objects as go
import plotly.io as pio
import pytest

from captures import training, weighed_training
from factories import capture
from reports import PERCENTILES, page_samples
from x10_jupyter.base.errors import MissingExtraError, UsageError
from x10_jupyter.metrics.instruments import CounterSnapshot
from x10_jupyter.views.charts.chart import KINDS, chart


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_figure(kind: str) -> None:
    made = chart(weighed_training(), kind, metrics=[page_samples(), CounterSnapshot("MarkStep", 3)], fractions=PERCENTILES)
    assert isinstance(made, go.Figure)
    assert made.to_dict()["data"]
    assert made.to_json()


def test_an_unknown_kind_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"A chart is one of percentiles, steps, time, compiles, memory; got step\. Did you mean 'steps'\?"):
        chart(training(), "step", metrics=[], fractions=PERCENTILES)


def test_what_a_capture_does_not_hold_is_refused() -> None:
    with pytest.raises(UsageError, match="holds no memory in use over time"):
        chart(training(), "memory", metrics=[], fractions=PERCENTILES)


def test_without_steps_it_is_said_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pio.renderers, "default", "plotly_mimetype")
    made = chart(capture(), "steps", metrics=(), fractions=())
    why = "where a turn of a loop of ordinary JAX ends nobody tells: call `x10.barrier()` there, and each is a step"
    assert len(made.data) == 0
    assert made.layout.annotations[0].text.replace("<br>", " ").lower() == f"{why}.".lower()
    shown = made._repr_mimebundle_()
    assert why in shown["text/html"]
    assert shown["text/plain"].startswith("No steps: call `x10.barrier()` at the end of each turn (a figure")


def test_without_plotly_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingExtraError, match=r"A chart needs the package `plotly`.*pip install 'x10_jupyter\[charts\]'"):
        chart(training(), "time", metrics=[], fractions=PERCENTILES)


def test_plotly_is_imported_only_when_it_is_asked_for() -> None:
    code = "import sys, x10_jupyter, x10_jupyter.session; assert not any(name.startswith('plotly') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
