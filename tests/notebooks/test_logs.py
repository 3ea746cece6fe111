"""Trace logs and graph changes in a real kernel: switched on and off without a restart, and seen under the cell."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel import Kernel, started

SETUP = """\
%load_ext x10_jupyter
import numpy as np
import x10_jupyter as x10

def step(rows):
    y = x10.tensor(np.ones(rows, np.float32)) * 0.5
    x10.barrier()
    return y
"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as (_, client):
        made = Kernel(client)
        assert made.run(SETUP).status == "ok"
        yield made


def test_a_change_of_shape_is_told_under_the_cell_and_a_known_one_is_not(kernel: Kernel) -> None:
    kernel.run("step(4)")
    assert kernel.run("x10.config.update(XLA_LOG_GRAPH_CHANGES=1)").outputs == []
    changed = kernel.run("y = step(3)")
    assert [kind for kind, _ in changed.outputs] == ["stdout"]  # the other one stands on red
    lines = changed.outputs[0][1].splitlines()
    assert lines[0] == "Found different shape: f32[3]{0} vs f32[4]{0} for:"
    assert "Fix: Keep the shape of" in changed.outputs[0][1] or "Fix: Pad" in changed.outputs[0][1]
    assert "  step (cell [1]:7)" in lines
    assert f"  <module> (cell [{changed.number}]:1)" in lines
    assert kernel.run("y = step(4)").outputs == []
    kernel.run("x10.config.update(XLA_LOG_GRAPH_CHANGES=0)")
    assert kernel.run("y = step(2)").outputs == []


def test_frames_of_the_log_are_cells_and_lines(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    kernel.run(f"x10.config.update(XLA_SAVE_TENSORS_FILE={str(path)!r})")
    reply = kernel.run("def pick():\n    return x10.numpy.nonzero(x10.tensor(np.ones(3)) - 1.0)\n\ni = pick()")
    kernel.run("x10.config.update(XLA_SAVE_TENSORS_FILE=None)")
    kernel.run("y = step(4)")
    assert f"Python Frames:\n  pick (cell [{reply.number}]:2)\n  <module> (cell [{reply.number}]:4)\n\nHashes: (" in path.read_text()
    assert "Cut: `nonzero`, which XLA cannot express" in path.read_text()
    assert path.read_text().count("## BEGIN_GRAPH") == 1
