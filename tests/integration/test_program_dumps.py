"""Programs that XLA cannot compile, or compiles slowly, are kept for whoever reports them."""

import re
import threading
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import forget
from x10_jupyter.base.errors import LostValueError


@x10.lazy
def unknown_target(x: Any) -> Any:
    """What XLA cannot compile: a call of something that was never registered."""
    return jax.ffi.ffi_call("x10_no_such_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget()


def test_a_program_that_cannot_be_compiled_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "failed.hlo"
    path.write_text("before\n")
    with x10.config(XLA_SAVE_HLO_FILE=path), pytest.raises(LostValueError, match="could not be compiled"):
        float(unknown_target(x10.tensor(np.ones(3, np.float32)) * 2.0)[0])
    before, head, hlo = re.split(r"(\[HLO Graph .*\]\n)", path.read_text(), maxsplit=1)
    assert before == "before\n"
    assert head == f"[HLO Graph 0 From Thread {threading.get_ident()}]\n"
    assert hlo.startswith("HloModule jit_test_a_program_that_cannot_be_compiled_is_appended")
    assert 'custom_call_target="x10_no_such_target"' in hlo


def test_the_trace_log_has_what_failed(tmp_path: Path) -> None:
    path = tmp_path / "trace.log"
    with x10.config(XLA_SAVE_TENSORS_FILE=path, XLA_SAVE_TENSORS_FMT="hlo", XLA_LOG_GRAPH_CHANGES=1), pytest.raises(LostValueError):
        float(unknown_target(x10.tensor(np.ones(3, np.float32)))[0])
    text = path.read_text()
    assert 'custom_call_target="x10_no_such_target"' in text
    assert "## END_GRAPH\n\nNew graph structure\nCause: first" in text
    assert text.endswith("\nCut: float()\nCache: failed\n\n")


def test_a_slow_one_has_a_file_and_a_quick_one_has_none(tmp_path: Path) -> None:
    x: Any = x10.tensor(np.ones(3, np.float32))
    with x10.config(XLA_SLOW_COMPILE_HLO_FOLDER=tmp_path / "slow"):
        float((x * 2.0).sum())
        with x10.config(XLA_COMPILE_TIME_THRESHOLD=3600):
            float((x * 3.0).sum())
        assert not (tmp_path / "slow").exists()
        with x10.config(XLA_COMPILE_TIME_THRESHOLD=0):
            float((x + 3.0).sum())
            float((x + 3.0).sum())
    (written,) = (tmp_path / "slow").iterdir()
    assert re.fullmatch(r"hlo_module-0-\d+s\.txt", written.name)
    assert written.read_text().startswith("HloModule jit_")
