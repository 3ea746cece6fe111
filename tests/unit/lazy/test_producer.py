"""What the runtime tells the outside."""

import pytest

from x10_jupyter.base.frames import Cells
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.producer import EVENTS, site_of
from x10_jupyter.records.site import Site


def test_a_line_as_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line("/tmp/cell.py", 3, "train", (4, 9))
    assert site_of(line) == Site(file="/tmp/cell.py", line=3, function="train", cell=None)
    monkeypatch.setattr(Cells, "number", lambda name: 7 if name == line.file else None)
    assert site_of(line) == Site(file="/tmp/cell.py", line=3, function="train", cell=7)
    assert site_of(None) is None


def test_nobody_listens_unless_asked() -> None:
    assert not EVENTS
