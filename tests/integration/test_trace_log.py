"""The trace log of a script, as a user gets it."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from dotted import drawn, picture
from grab_graphs import grabbed
from logs import FILE, masked, run_script
from runtime import forget
from x10_jupyter.tracelog.reading import load_graph
from x10_jupyter.tracelog.writer import Writer

TRAIN = """\
import x10_jupyter as x10

def loss(x, w):
    return ((x @ w) * 0.5).sum(axis=0)

def train(batches, w, lr):
    for x in batches:
        w = w - loss(x, w) * lr
        x10.barrier()
    return w

w = train(batches, w, 0.1)
"""
SETUP = """
w = x10.tensor(np.ones((3, 2), np.float32))
batches = [x10.tensor(np.ones((rows, 3), np.float32)) for rows in (4, 2)]
"""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def batch(rows: int) -> Any:
    return x10.tensor(np.ones((rows, 3), np.float32))


def log_of(tmp_path: Path, form: str, *rows: int, source: str = TRAIN, **settings: object) -> str:
    """What training on batches of so many rows writes."""
    path = tmp_path / "trace.log"
    names: dict[str, Any] = {"batches": [batch(each) for each in rows], "w": x10.tensor(np.ones((3, 2), np.float32))}
    with x10.config(XLA_SAVE_TENSORS_FILE=path, XLA_SAVE_TENSORS_FMT=form, **settings):
        run_script(source, names)
    return path.read_text()


def graphs(text: str) -> list[str]:
    return re.findall(r"\n## BEGIN_GRAPH\n(.*?)\n## END_GRAPH\n", text, re.DOTALL)


@pytest.mark.parametrize("form", ["text", "dot", "jaxpr"])
def test_each_form(tmp_path: Path, golden: Callable[[str, str], None], form: str) -> None:
    golden(f"tracelog_{form}.log", masked(log_of(tmp_path, form, 4, 4)))


@pytest.mark.parametrize(("form", "numbers"), [("hlo", r"(?<=[A-Za-z_])\.\d+|(?<=region_\d)\.\d+"), ("stablehlo", r"(?<=%)\w+")])
def test_forms_with_names_that_the_compiler_makes_up(tmp_path: Path, golden: Callable[[str, str], None], form: str, numbers: str) -> None:
    golden(f"tracelog_{form}.log", re.sub(numbers, "N", masked(log_of(tmp_path, form, 4))))


def test_dot_is_taken_by_graphviz_and_shows_every_node(tmp_path: Path) -> None:
    graph, text = graphs(log_of(tmp_path, "dot", 4))[0], graphs(log_of(tmp_path, "text", 4))[-1]
    nodes, edges = drawn(graph)
    assert len(nodes) == len(re.findall(r"^  %", text, re.MULTILINE))
    assert len(edges) == len(re.findall(r"%\d+", text)) - len(nodes)
    png = picture(graph)
    assert png is None or png.startswith(b"\x89PNG")


def test_an_operation_that_xla_cannot_express(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    source = "import x10_jupyter as x10\n\ndef pick(x):\n    return x10.numpy.nonzero(x - 1.0)\n\ndef main(x):\n    return pick(x)\n\nmain(batches[0])\n"
    golden("tracelog_fallback.log", masked(log_of(tmp_path, "text", 4, source=source)))


def test_changes_are_in_the_log(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    golden("tracelog_changes.log", masked(log_of(tmp_path, "text", 4, 2, 4, XLA_LOG_GRAPH_CHANGES=1)))


def test_a_known_shape_that_comes_again_is_no_change(tmp_path: Path) -> None:
    text = log_of(tmp_path, "text", 4, 2, 4, 2, 3, XLA_LOG_GRAPH_CHANGES=1)
    assert re.findall("Found different shape: .* for:", text) == [
        "Found different shape: f32[2,3]{1,0} vs f32[4,3]{1,0} for:",
        "Found different shape: f32[3,3]{1,0} vs f32[2,3]{1,0} for:",
    ]


def test_the_file_may_be_deleted_between_cuts(tmp_path: Path) -> None:
    source = TRAIN.replace("        x10.barrier()\n", "        x10.barrier()\n        between()\n")
    seen: list[str] = []
    path = tmp_path / "trace.log"

    def between() -> None:
        seen.append(path.read_text())
        path.unlink()

    names: dict[str, Any] = {"batches": [batch(4), batch(4)], "w": x10.tensor(np.ones((3, 2), np.float32)), "between": between}
    with x10.config(XLA_SAVE_TENSORS_FILE=path):
        run_script(source, names)
    assert [len(graphs(each)) for each in seen] == [1, 1]


def test_a_log_that_cannot_be_written_costs_no_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names: dict[str, Any] = {"batches": [batch(4), batch(4)], "w": x10.tensor(np.ones((3, 2), np.float32))}
    with x10.config(XLA_SAVE_TENSORS_FILE=tmp_path):
        run_script(TRAIN, names)
    without: dict[str, Any] = {"batches": [batch(4), batch(4)], "w": x10.tensor(np.ones((3, 2), np.float32))}
    run_script(TRAIN, without)
    assert np.array_equal(np.asarray(names["w"]), np.asarray(without["w"]))
    assert len(caplog.messages) == 1


def test_frames_have_the_users_file_and_line(tmp_path: Path) -> None:
    assert f"Python Frames:\n  train ({FILE}:9)\n  <module> ({FILE}:12)\n\nHashes: (" in log_of(tmp_path, "text", 4)


def test_nothing_stays_when_it_is_switched_off(tmp_path: Path) -> None:
    from x10_jupyter.lazy.producer import EVENTS

    before = EVENTS.sinks
    log_of(tmp_path, "text", 4)
    assert (EVENTS.sinks, EVENTS.wanted) == (before, frozenset())


@pytest.mark.parametrize("form", ["text", "dot", "hlo", "stablehlo", "jaxpr"])
def test_pytorch_xlas_reader_finds_every_graph(tmp_path: Path, form: str) -> None:
    text = log_of(tmp_path, form, 4, 2, 4, XLA_LOG_GRAPH_CHANGES=1)
    found = grabbed(text)
    assert ["\n".join(each.graph) for each in found] == graphs(text)
    assert [each.frame for each in found] == [["Python Frames:", f"  train ({FILE}:9)", f"  <module> ({FILE}:12)"]] * 3
    assert all(re.fullmatch("[0-9a-f]{1,32}", each.hashes or "") for each in found)
    assert (found[0].graph, found[0].hashes) == (found[2].graph, found[2].hashes), "the same graph is the same text, with the same hashes"
    assert found[0].hashes != found[1].hashes


def test_it_sees_nodes_without_their_numbers(tmp_path: Path) -> None:
    (found,) = grabbed(log_of(tmp_path, "text", 4))
    assert found.normal[3] == "  f32[4,2]{1,0} x10::matmul(?, ?)"
    assert all("%" not in line for line in found.normal)


def test_hashes_and_key_are_the_same_in_each_process(tmp_path: Path) -> None:
    for number in range(2):
        script = tmp_path / "train.py"
        script.write_text(f"import numpy as np\nimport x10_jupyter as x10\n{SETUP}{TRAIN}")
        environment = {**os.environ, "XLA_SAVE_TENSORS_FILE": str(tmp_path / "log"), "XRT_SHARD_LOCAL_ORDINAL": str(number)}
        done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    logs = [re.findall("Hashes: .*|Graph Hash: .*", (tmp_path / f"log.{number}").read_text()) for number in range(2)]
    assert logs[0] == logs[1]
    assert len(logs[0]) == 4
    assert not (tmp_path / "log").exists()


def test_a_saved_capture_gives_the_log_that_was_written_live(tmp_path: Path) -> None:
    with x10.capture(graphs=True) as capturing:
        live = log_of(tmp_path, "text", 4, 2, 4, XLA_LOG_GRAPH_CHANGES=1)
    again = Writer(lambda: str(tmp_path / "again"), "text", with_changes=True)
    for event in capturing.capture.events:
        again.emit(event)
    assert (tmp_path / "again").read_text() == live


def test_threads_write_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    names = [{"batches": [batch(rows), batch(rows + 1)] * 5, "w": x10.tensor(np.ones((3, 2), np.float32))} for rows in (2, 5, 8)]
    with x10.config(XLA_SAVE_TENSORS_FILE=path):
        threads = [threading.Thread(target=exec, args=(compile(TRAIN, FILE, "exec"), each)) for each in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = grabbed(path.read_text())
    assert len(found) == 30
    assert all(load_graph("\n".join(each.graph)).nodes for each in found)
    assert all(each.frame == ["Python Frames:", f"  train ({FILE}:9)", f"  <module> ({FILE}:12)"] for each in found)
    assert path.read_text().count("\nCache: ") == 30
