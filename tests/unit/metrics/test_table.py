"""The table is complete, and each of its rows is moved by the event it names."""

import re
from pathlib import Path
from typing import get_args

from docs_table import documented
from x10_jupyter.metrics.table import FAMILIES, MEANINGLESS, ROWS
from x10_jupyter.records.events import Event

DOCS = Path(__file__).parents[3] / "docs" / "metrics.md"
PROMISED = """CompileTime ExecuteTime TransferToServerTime TransferFromServerTime TransferToDeviceTime TransferFromDeviceTime InboundData OutboundData
TensorsGraphSize InputOutputAliasCount DeviceLockWait IrValueTensorToXlaData LazyTracing CachedCompile UncachedCompile CachedSyncTensors UncachedSyncTensors
MarkStep CreateXlaTensor DestroyXlaTensor CreateDataHandles ReleaseDataHandles DestroyDataHandles CreateCompileHandles DestroyCompileHandles
DeviceDataCacheMiss TrimIrGraph ExecuteChainedTime OpByOpGraphSize OpByOpCompileCacheMiss"""


def test_every_name_that_was_promised() -> None:
    names = [name for row in ROWS for name in row.names]
    assert set(PROMISED.split()) <= set(names)
    assert len(set(names)) == len(names)
    assert {family.prefix for family in FAMILIES} == {"x10", "fallback", "cause"}


def test_no_name_means_something_and_nothing() -> None:
    nothing = {name for names in MEANINGLESS for name in re.findall(r"\w+", names)}
    assert not nothing & {name for row in ROWS for name in row.names}


def test_each_row_says_what_it_means_and_is_moved_by_an_event() -> None:
    for row in (*ROWS, *FAMILIES):
        assert row.means
        assert row.moves
        assert row.event in get_args(Event)


def test_the_documentation_has_it() -> None:
    assert documented() in DOCS.read_text(encoding="utf-8")
