import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import factories
from captures import training
from factories import graphed, program, read
from stage import Stage
from standalone import assert_stands_alone
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records import wire
from x10_jupyter.records.wire import write
from x10_jupyter.session import bundle, result
from x10_jupyter.session.result import Capture, load_capture, write_report
from x10_jupyter.views.html import html
from x10_jupyter.views.text import text


@pytest.fixture
def made(stage: Stage) -> Capture:
    with stage.capture("warm") as capturing:
        stage.clock.advance(1000)
    return capturing.capture


def test_shows_itself_as_text_and_html(made: Capture) -> None:
    assert str(made) == repr(made) == text(made)
    bundle = made._repr_mimebundle_(include=None, exclude=None)
    assert bundle == {wire.MIME: wire.document(made), "text/html": html(made, made.metrics), "text/plain": text(made)}


def test_a_host_that_knows_no_other_text_or_takes_html_alone_gets_it(made: Capture) -> None:
    """Such as marimo, which takes a text of another class for an object."""
    assert made._repr_html_() == made._repr_mimebundle_()["text/html"]
    assert {type(layer) for layer in made._repr_mimebundle_().values()} == {str, dict}


def test_a_view_that_fails_warns_and_leaves_the_plain_one(made: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(result, "html", broken)
    with pytest.warns(RuntimeWarning, match=r"broken view of this capture failed: ZeroDivisionError\(\). Its data is intact"):
        assert made._repr_mimebundle_() == {wire.MIME: wire.document(made), "text/plain": text(made)}


def test_a_notebook_keeps_no_more_than_it_can_bear_and_the_view_says_so(made: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MOST", 10)
    shown = made._repr_mimebundle_()
    assert set(shown) == {"text/html", "text/plain"}
    assert "this notebook keeps none of it. `--save FILE`" in shown["text/html"]


def test_its_compiles_are_added_up() -> None:
    record = training()
    made = Capture(**{name: getattr(record, name) for name in record.__dataclass_fields__})
    assert [(group.what, group.times, group.recompiles) for group in made.compiles_by("function")] == [("`train`", 2, 1)]
    assert sum(group.seconds for group in made.compiles_by("cause")) == sum(one.seconds for one in made.compiles)
    with pytest.raises(UsageError, match=r"can't be added up by that; got 'colour'.*'function', 'line', 'cell', 'cause'"):
        made.compiles_by("colour")


def test_its_charts_are_of_its_own_events(stage: Stage) -> None:
    with stage.capture() as capturing:
        stage.events.emit(read(0, 500, ready_ns=200))
        stage.clock.advance(1000)
    traces = {trace.name: trace for trace in capturing.capture.chart("percentiles").data}
    assert set(traces) == {"InboundData", "TransferFromServerTime"}
    assert (set(traces["TransferFromServerTime"].y), set(traces["InboundData"].y)) == ({300e-9}, {4})
    assert capturing.capture.chart("time").data[0].x == (1e-6,)


def test_a_saved_capture_is_loaded_with_its_views(made: Capture, tmp_path: Path) -> None:
    made.to_json(tmp_path / "one.json")
    found = load_capture(tmp_path / "one.json")
    assert found == made
    assert isinstance(found, Capture)
    assert (str(found), found.metrics) == (str(made), made.metrics)


def test_a_capture_that_cannot_be_saved_is_kept(made: Capture, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing is lost"):
        made.to_json(tmp_path / "nowhere" / "one.json")
    assert str(made) == text(made)


READER = """
import sys
for name in ("jax", "jaxlib", "IPython"):
    sys.modules[name] = None  # so that importing it fails
import x10_jupyter as x10
made = x10.load_capture(sys.argv[1])
assert sum(made.time.values()) == made.wall_ns
print(type(made).__name__, len(made.events), len(made.steps), len(made.metrics))
assert set(made._repr_mimebundle_()) == {"application/vnd.x10.capture.v1+json", "text/html", "text/plain"}
made.to_json(sys.argv[1])
"""


def says(made: Capture) -> tuple[object, ...]:
    """All that a capture tells; what follows from it is computed, and kept with it."""
    charts = [made.chart(kind) for kind in ("percentiles", "steps", "time", "compiles")]
    return str(made), made.bundle(), charts, dict(made.time), dict(made.metrics), made.findings, made.compiles, made.graphs, made.known_programs


@pytest.fixture
def rich() -> Capture:
    """One with compiles, steps, graphs and texts of programs."""
    record = factories.capture(*training().events, graphed(texts={"hlo": "HloModule m"}), source="x", programs=(program(texts={"hlo": "HloModule p"}),))
    return Capture(**{name: getattr(record, name) for name in record.__dataclass_fields__})


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_capture_says_the_same(rich: Capture, protocol: int) -> None:
    before = says(rich)
    found = pickle.loads(pickle.dumps(rich, protocol))
    assert found == rich
    assert type(found) is Capture
    assert says(found) == before


def test_what_was_found_out_of_its_programs_since_is_pickled_with_it(made: Capture) -> None:
    made.keep_looking(lambda name, levels=(): program(name, texts=dict.fromkeys(levels, "its text")))
    made.program("jit(step)", "hlo")
    found = pickle.loads(pickle.dumps(made))
    assert found.program("jit(step)", "hlo").texts == {"hlo": "its text"}
    assert "compiled in another process" in found.program("jit(other)", "hlo").missing["hlo"]


def test_a_copy_of_a_capture_is_the_capture(rich: Capture) -> None:
    before = says(rich)
    assert copy.copy(rich) is rich
    assert copy.deepcopy({"runs": [rich]})["runs"][0] is rich
    assert says(rich) == before


def test_a_pickle_of_another_version_is_refused(made: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    document = wire.document(made)
    monkeypatch.setattr(wire, "document", lambda _: {**document, "version": 2})
    data = pickle.dumps(made)
    with pytest.raises(UsageError, match=r"This reads captures of version 1; got 2\. Update x10_jupyter"):
        pickle.loads(data)


def test_a_reader_needs_no_jax(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write(training(), path)
    done = subprocess.run([sys.executable, "-W", "error", "-c", READER, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[:3] == ["Capture", str(len(training().events)), "40"]
    assert load_capture(path).events == training().events


def test_a_report_stands_alone(made: Capture, tmp_path: Path) -> None:
    assert made.to_html(tmp_path / "a.html", title="A & B") == tmp_path / "a.html"
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    found = assert_stands_alone(page)
    assert html(made, made.metrics) in page
    assert "A & B" in found.words
    assert '<h2 id="1">warm</h2>' in page


def test_what_a_report_shows_is_loaded_from_it(made: Capture, tmp_path: Path) -> None:
    other = Capture(**{**{name: getattr(training(), name) for name in made.__dataclass_fields__}, "name": "other"})
    path = write_report([(made, 3), (other, None)], tmp_path / "a.html")
    assert (load_capture(path, "warm"), load_capture(path, 2)) == (made, other)
    with pytest.raises(UsageError, match="Give `which=`, a name or a number: 1 `warm`, 2 `other`"):
        load_capture(path)


def test_a_report_has_the_text_where_the_view_fails(made: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(result, "html", broken)
    with pytest.warns(RuntimeWarning, match="Its data is intact"):
        made.to_html(tmp_path / "a.html")
    assert text(made).splitlines()[0] in assert_stands_alone((tmp_path / "a.html").read_text(encoding="utf-8")).words


def test_a_report_that_cannot_be_written_is_told(made: Capture, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="A report must be saved to a file that can be written"):
        made.to_html(tmp_path)
