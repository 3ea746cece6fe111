"""X10's record layout, byte for byte, and ours outside of what its readers look at."""

from collections.abc import Callable
from typing import Any

import pytest

from factories import FIRST, MS, graph, graphed, site
from x10_jupyter.tracelog.layout import beginning, continued, ending, frame, python_frames, record

SAMPLE = """\
[ScheduleSyncTensorsGraph]
TensorsGraphInfo:
Python Frames:
  train (cell [4]:7)
  <module> (/tmp/ipykernel_1/1234.py:12)

Hashes: (986ddacef03810dea5d00e9ec233f56, 1)

## BEGIN_GRAPH
IR {
}

## END_GRAPH

Cut: barrier()
Program: train_0
Graph Hash: c0ffee
Cache: miss, compiled in 173 ms

"""


def test_a_record() -> None:
    event = graphed(graph=graph(hashes=("986ddacef03810dea5d00e9ec233f56", "1")))
    assert record(event, "IR {\n}\n") == SAMPLE


@pytest.mark.parametrize(("change", "added"), [("", "\n"), ("New graph structure", "New graph structure\n")])
def test_a_change_stands_where_x10_has_it(change: str, added: str) -> None:
    event = graphed(graph=graph(hashes=("986ddacef03810dea5d00e9ec233f56", "1")))
    assert record(event, "IR {\n}\n", change) == SAMPLE.replace("## END_GRAPH\n\n", f"## END_GRAPH\n\n{added}")


@pytest.mark.parametrize(
    ("op_by_op", "why", "expected"),
    [
        (False, "barrier", "[ScheduleSyncTensorsGraph]"),
        (False, "read", "[ScheduleSyncTensorsGraph]"),
        (True, "barrier", "[SyncTensorsGraphOpByOp]"),
        (True, "read", "[GetTensorsOpByOp]"),
    ],
)
def test_the_first_line(op_by_op: bool, why: str, expected: str) -> None:
    assert record(graphed(op_by_op=op_by_op, why=why), "").partition("\n")[0] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"found": "hit", "compile_ns": 0}, "Cache: hit"),
        ({"cache": "miss"}, "Cache: miss, compiled in 173 ms"),
        ({"cache": "hit", "compile_ns": 4 * MS}, "Cache: miss, read from the persistent cache in 4.00 ms"),
        ({"found": "failed", "program": "", "key": ""}, "Cache: failed"),
        ({"compile_ns": 0}, "Cache: miss"),
        ({"found": "none", "program": "", "key": "", "op_by_op": True}, "Cache: none, each operation ran on its own"),
    ],
)
def test_what_the_cache_said(fields: dict[str, Any], expected: str) -> None:
    text = record(graphed(**fields), "")
    assert f"\n{expected}\n" in text
    assert ("Graph Hash" in text) is (fields.get("key") != "")


def test_an_operation_that_xla_cannot_express_is_named() -> None:
    text = record(graphed(why="fallback", how="nonzero"), "")
    assert "\nCut: `nonzero`, which XLA cannot express: it needs values, and so it ran on its own; the frames above called it\n" in text


def test_a_record_in_two_parts() -> None:
    event = graphed()
    assert beginning(event, "IR {\n}\n", "New") + ending(event) == record(event, "IR {\n}\n", "New")
    assert continued(event) == "[Compiled] the graph with these roots: abc\n" + ending(event)


def test_a_frame_is_one_line_whatever_its_names() -> None:
    assert frame(site(3, cell=None, function="f\n\n## BEGIN_GRAPH")) == "f ## BEGIN_GRAPH (/tmp/ipykernel_1/1234.py:3)"
    assert python_frames(()) == "Python Frames:\n"


def test_readers_of_x10s_logs_find_everything(golden: Callable[[str, str], None]) -> None:
    assert FIRST.kind == "first"
    text = record(graphed(), graph().to_text()) + record(graphed(why="fallback", how="nonzero", found="hit"), graph().to_dot(), "New graph structure")
    golden("tracelog_layout.log", text)
