"""One record for each cut, known program or not."""

from dataclasses import replace
from pathlib import Path

import pytest

from factories import graph, graphed, node, read
from x10_jupyter.tracelog import writer as module
from x10_jupyter.tracelog.layout import beginning, continued, record
from x10_jupyter.tracelog.writer import Writer


def writer(path: Path, form: str = "text", *, with_changes: bool = False) -> Writer:
    return Writer(lambda: str(path), form, with_changes=with_changes)


@pytest.mark.parametrize(("form", "expected"), [("text", graph().to_text()), ("dot", graph().to_dot()), ("hlo", "HloModule m\n"), ("jaxpr", "{ lambda ; }\n")])
def test_each_form_has_its_text(tmp_path: Path, form: str, expected: str) -> None:
    event = graphed(texts={"hlo": "HloModule m\n", "jaxpr": "{ lambda ; }\n"})
    writer(tmp_path / "log", form).emit(event)
    assert (tmp_path / "log").read_text() == record(event, expected)


@pytest.mark.parametrize(("form", "extras"), [("text", {"graphs"}), ("dot", {"graphs"}), ("hlo", {"graphs", "hlo"}), ("stablehlo", {"graphs", "stablehlo"})])
def test_it_asks_for_what_it_needs(tmp_path: Path, form: str, extras: set[str]) -> None:
    assert set(writer(tmp_path, form).extras) == extras


def test_hits_are_written_too_and_other_events_are_not(tmp_path: Path) -> None:
    log = writer(tmp_path / "log")
    for event in (graphed(), read(0, 1), graphed(found="hit")):
        log.emit(event)
    assert (tmp_path / "log").read_text().count("## BEGIN_GRAPH") == 2


def test_what_could_not_be_compiled_is_shown_as_it_was_recorded(tmp_path: Path) -> None:
    event = graphed(found="failed", program="", key="")
    writer(tmp_path / "log", "hlo").emit(event)
    assert graph().to_text() in (tmp_path / "log").read_text()


def test_changes_are_told_if_they_are_asked_for(tmp_path: Path) -> None:
    writer(tmp_path / "with", with_changes=True).emit(graphed())
    writer(tmp_path / "without").emit(graphed())
    with_, without = [(tmp_path / name).read_text() for name in ("with", "without")]
    assert "## END_GRAPH\n\nNew graph structure\nCause: first" in with_
    assert "## END_GRAPH\n\nCut: barrier()\n" in without


def test_the_graph_is_there_before_its_program_is_compiled(tmp_path: Path) -> None:
    log, path = writer(tmp_path / "log"), tmp_path / "log"
    log.emit(graphed(found="compiling", program="", key="", compile_ns=0))
    assert path.read_text() == beginning(graphed(), graph().to_text())
    log.emit(graphed())
    assert path.read_text() == record(graphed(), graph().to_text())


def test_what_another_thread_wrote_meanwhile_stands_between(tmp_path: Path) -> None:
    log = writer(tmp_path / "log")
    mine, other = graphed(graph=graph(hashes=("abc",))), graphed(thread=2, graph=graph(node("x10::f"), id="2f"), found="hit")
    for event in (replace(mine, found="compiling"), other, mine):
        log.emit(event)
    expected = [beginning(mine, graph().to_text()), record(other, other.graph.to_text()), continued(mine)]
    assert (tmp_path / "log").read_text() == "".join(expected)


def test_a_compile_that_was_interrupted_leaves_a_beginning(tmp_path: Path) -> None:
    log = writer(tmp_path / "log")
    other = graphed(graph=graph(node("x10::f"), id="2f"), found="hit")
    for event in (graphed(found="compiling"), other, graphed(found="hit")):
        log.emit(event)
    expected = [beginning(graphed(), graph().to_text()), record(other, other.graph.to_text()), record(graphed(found="hit"), graph().to_text())]
    assert (tmp_path / "log").read_text() == "".join(expected)


def test_a_text_is_made_once_and_only_so_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setitem(module.DRAWN, "text", lambda each: drawn.append(each.id) or "IR {\n}\n")
    monkeypatch.setattr(module, "MOST", 2)
    log = writer(tmp_path / "log")
    for name in "aabacab":
        log.emit(graphed(graph=graph(node("x10::f"), id=name)))
    assert drawn == ["a", "b", "c", "b"]
