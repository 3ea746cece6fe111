"""Reads: what they cost is recorded with its line, and a value that is lost says the same each time."""

from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening, run_cell
from x10_jupyter.base.errors import LostValueError
from x10_jupyter.lazy import execute
from x10_jupyter.lazy.read import array, host
from x10_jupyter.lazy.value import Failure
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Cut


def ones() -> x10.Tensor:
    return x10.tensor(np.ones((2, 3), np.float32))


def test_a_read_tells_its_line_its_size_and_what_was_pending() -> None:
    names: dict[str, Any] = {"x": ones()}
    with listening() as events:
        run_cell("y = x * 2.0\nz = y + 1.0\n\nt = float(z.sum())\nu = float(z[0, 0])\n", names)
    first, second = [e for e in events if isinstance(e, Read)]
    assert (first.how, first.aval, first.size_bytes, first.pending_ops, first.site and first.site.line) == ("float()", "f32[]", 4, 3, 4)
    assert second.pending_ops == 1, "only the indexing: what the first read computed is there"
    assert len([e for e in events if isinstance(e, Cut)]) == 2


def test_what_was_read_is_not_computed_again() -> None:
    y = ones() * 2.0
    assert host(y, "numpy").tolist() == [[2] * 3] * 2
    with listening() as events:
        assert isinstance(array(y, ".data"), jax.Array)
        host(y, "numpy")
    assert not [e for e in events if isinstance(e, Cut)]
    assert [(e.how, e.pending_ops) for e in events if isinstance(e, Read)] == [(".data", 0), ("numpy", 0)]


def test_a_lost_value_says_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ones()
    y, other = x * 2.0, x + 1.0

    def broken(*_: object) -> None:
        raise RuntimeError("no memory\nand details")

    with monkeypatch.context() as patch:
        patch.setattr(execute, "launch", broken)
        with pytest.raises(LostValueError, match=r"could not be .*no memory.*`mul` at test_read.py:\d+, asked for at test_read.py:\d+") as first:
            np.asarray(y)
    messages = set()
    for _ in range(2):
        with pytest.raises(LostValueError, match="no memory") as again:
            np.asarray(y)
        messages.add(str(again.value))
    assert messages == {str(first.value)}
    with pytest.raises(LostValueError, match="`add` at"):
        other.item()
    assert np.asarray(x).tolist() == [[1] * 3] * 2, "what was there stays"
    assert float((x * 3.0).sum()) == 18, "and the runtime goes on"


def test_using_a_lost_value_says_so_too() -> None:
    x = ones()
    x.held = Failure("The program of this tensor went wrong")
    for use in (lambda: x + 1.0, lambda: x10.numpy.sin(x), lambda: x10.lazy(lambda v: v)(x), lambda: jax.numpy.sin(x)):  # pyright: ignore[reportArgumentType]
        with pytest.raises(LostValueError, match="went wrong"):
            use()
