import pytest

from factories import read
from stage import Stage
from x10_jupyter.session import result
from x10_jupyter.session.result import Capture
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text


@pytest.fixture
def made(stage: Stage) -> Capture:
    with stage.capture("warm") as capturing:
        stage.clock.advance(1000)
    return capturing.capture


def test_shows_itself_as_text_and_html(made: Capture) -> None:
    assert str(made) == repr(made) == text(made)
    assert made._repr_mimebundle_(include=None, exclude=None) == {"text/plain": text(made), "text/html": html(made)}


def test_a_view_that_fails_warns_and_leaves_the_plain_one(made: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(result, "html", broken)
    with pytest.warns(RuntimeWarning, match=r"broken view of this capture failed: ZeroDivisionError\(\). Its data is intact"):
        assert made._repr_mimebundle_() == {"text/plain": text(made)}


def test_its_charts_are_of_its_own_events(stage: Stage) -> None:
    with stage.capture() as capturing:
        stage.events.emit(read(0, 500, ready_ns=200))
        stage.clock.advance(1000)
    traces = {trace.name: trace for trace in capturing.capture.chart("percentiles").data}
    assert set(traces) == {"InboundData", "TransferFromServerTime"}
    assert (set(traces["TransferFromServerTime"].y), set(traces["InboundData"].y)) == ({300e-9}, {4})
    assert capturing.capture.chart("time").data[0].x == (1e-6,)
