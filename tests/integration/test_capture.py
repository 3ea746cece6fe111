"""A capture of the lazy runtime itself, without a notebook."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.records.runtime_events import Counted

HEADLESS = """
import sys
import x10_jupyter as x10
from x10_jupyter.records.runtime_events import Counted
with x10.capture() as capturing:
    float(x10.numpy.sum(x10.numpy.ones(3)))
print(capturing.capture)
assert "IPython" not in sys.modules
"""


def halve(x: Any) -> Any:
    y = x * 0.5 + 0.125
    x10.barrier()
    return y


def test_a_loop_is_one_program_and_its_steps_and_reads_are_counted() -> None:
    x: Any = x10.tensor(np.ones((4, 3), np.float32))
    with x10.capture("loop") as capturing:
        for _ in range(5):
            x = halve(x)
        total = float(x10.numpy.sum(x))
    found = capturing.capture
    assert total == pytest.approx(3.28125)
    assert [one.function for one in found.compiles] == ["halve", "test_a_loop_is_one_program_and_its_steps_and_reads_are_counted"]
    assert len(found.steps) == 5
    assert [read.how for read in found.reads] == ["float()"]
    assert sum(found.time.values()) == found.wall_ns
    assert 0 < found.device_ns <= found.wall_ns
    assert found.compiles[0].call_site is not None
    assert Path(found.compiles[0].call_site.file).name == "test_capture.py"


def test_a_program_still_running_at_the_end_is_waited_for() -> None:
    x: Any = x10.tensor(np.ones((600, 600), np.float32))
    with x10.capture(memory=False) as capturing:  # that is looked at when the window has ended
        for _ in range(20):
            x = x @ x * 1e-3
        x10.barrier()
    found = capturing.capture
    assert found.device_ns > 0
    assert all(event.end_ns <= found.end_ns for event in found.events if not isinstance(event, Counted)), "which are told of afterwards"


def test_a_smaller_batch_is_a_recompile_with_old_and_new_shape() -> None:
    def scaled(rows: int) -> None:
        batch = x10.tensor(np.ones((rows, 8), np.float32))
        float(x10.numpy.sum(x10.numpy.tanh(batch)))

    scaled(32)
    with x10.capture() as capturing:
        scaled(32)
        scaled(17)
    (found,) = capturing.capture.compiles
    assert (found.cause.kind, found.cause.old, found.cause.new) == ("shape", "f32[32,8]", "f32[17,8]")
    assert "again: `batch` shape f32[32,8] → f32[17,8] at test_capture.py:" in str(capturing.capture).partition("\n")[0]


def test_a_fallback_is_told_with_its_line() -> None:
    x: Any = x10.tensor(np.array([0.0, 1.0, 2.0], np.float32))
    with x10.capture() as capturing:
        x10.numpy.nonzero(x)
    (found,) = capturing.capture.fallbacks
    assert found.op == "nonzero"
    assert "nonzero" in str(capturing.capture)


def test_nothing_is_recorded_outside() -> None:
    x: Any = x10.tensor(np.ones(3, np.float32))
    with x10.capture(memory=False) as capturing:
        pass
    float(x10.numpy.sum(x * 3.0))
    assert capturing.capture.events == ()


def test_a_capture_needs_no_notebook() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", HEADLESS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "; 1 program compiled in " in done.stdout.partition("\n")[0]
