from pathlib import Path

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.session.resident import REGISTRY


def test_the_metrics_file_follows_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    x = x10.tensor(np.ones(3, np.float32))

    def step() -> None:
        nonlocal x
        x = x + 1
        x10.barrier()

    REGISTRY.clear()
    step()
    with x10.config(metrics_file=str(path)):
        step()
        step()
    step()
    blocks = path.read_text().split("[MetricsData; step=")[1:]
    numbers = [int(block.partition("]")[0]) for block in blocks]
    assert numbers == [numbers[0], numbers[0] + 1]
    found = [x10.parse_report(block.partition("\n")[2]) for block in blocks]
    assert [each.counters["MarkStep"] for each in found] == [2, 3]
    assert "  Accumulator: " in blocks[0]


def test_one_that_cannot_be_written_costs_no_value(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with x10.config(metrics_file=str(tmp_path)):
        kept = [x10.tensor(np.ones(3, np.float32)) * 2 for _ in range(2)]
        x10.barrier()
        x10.barrier()
    assert [np.asarray(each).tolist() for each in kept] == [[2, 2, 2]] * 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_several_processes_have_a_file_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XRT_SHARD_LOCAL_ORDINAL", "2")
    with x10.config(metrics_file=str(tmp_path / "metrics.txt")):
        y = x10.tensor(np.ones(3, np.float32)) * 2
        x10.barrier()
    assert y.shape == (3,)
    assert [each.name for each in tmp_path.iterdir()] == ["metrics.txt.2"]
