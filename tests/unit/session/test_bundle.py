"""A notebook keeps no more of a capture's data than it can bear, and says what it does not keep."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from captures import training
from factories import capture, compiled, graph, graphed, node, program, site
from x10_jupyter.records import wire
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.cause import Cause
from x10_jupyter.session.bundle import MOST, kept

RANDOM = Random(0)


def words(length: int) -> str:
    """Text that can hardly be compressed."""
    return RANDOM.randbytes(length // 2).hex()


def with_graphs(text: str = "", nodes: int = 0) -> Capture:
    made = graph(*[node(words(40)) for _ in range(nodes)])
    return capture(graphed(graph=made, texts={"hlo": text}), compiled(1, 2), end_ns=100)


def test_what_is_small_is_kept_whole() -> None:
    assert kept(training()) == (wire.document(training()), "")


@pytest.mark.parametrize(
    ("make", "missing", "texts", "graphs", "source"),
    [
        (lambda: replace(with_graphs(words(2 * MOST)), source="x"), "the texts of its programs", [{}], 1, "x"),
        (lambda: replace(with_graphs(nodes=40_000), source="x"), "its graphs", [], 0, "x"),
        (lambda: capture(source=words(2 * MOST)), "its graphs and its code", [], 0, None),
    ],
    ids=["texts", "graphs", "code"],
)
def test_the_largest_is_left_out_and_that_is_said(make: Callable[[], Capture], missing: str, texts: list[object], graphs: int, source: str | None) -> None:
    made = make()
    document, note = kept(made)
    assert document is not None
    assert (document["left_out"], len(json.dumps(document)) <= MOST * 1.1) == (missing, True)
    assert f"; this notebook keeps it without {missing}. `--save FILE`" in note
    found = wire.capture(json.loads(json.dumps(document)), Capture)
    assert [dict(one.texts) for one in found.kinds.among(type(graphed()))] == texts
    assert (len(found.graphs), found.source, found.compiles) == (graphs, source, made.compiles)


def test_of_jaxs_programs_texts_and_graphs_are_left_out_and_costs_stay() -> None:
    held = program(graphs=(graph(id="1"),), texts={"hlo": words(2 * MOST)})
    document, note = kept(capture(programs=(held,)))
    assert document is not None
    assert "without the texts of its programs" in note
    assert wire.capture(json.loads(json.dumps(document)), Capture).programs == (replace(held, texts={}),)
    many = program(graphs=(graph(*[node(words(40)) for _ in range(40_000)]),))
    document, note = kept(capture(programs=(many,)))
    assert document is not None
    assert "without its graphs" in note
    assert wire.capture(json.loads(json.dumps(document)), Capture).programs == (program(),)


def test_what_is_too_large_without_those_is_not_kept() -> None:
    causes = [compiled(at, at + 1, cause=Cause(kind="shape", old=words(200), new=words(200), site=site(at))) for at in range(6_000)]
    document, note = kept(capture(*causes, end_ns=10_000))
    assert document is None
    assert "takes 1." in note or "takes 2." in note
    assert "this notebook keeps none of it" in note
