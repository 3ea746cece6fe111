"""What the runtime tells the outside."""

import pytest

from runtime import listening
from x10_jupyter.base.frames import Cells
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.producer import CENSUS, EVENTS, settle, site_of, tell
from x10_jupyter.records.runtime_events import Counted
from x10_jupyter.records.site import Site


def test_a_line_as_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line("/tmp/cell.py", 3, "train", (4, 9))
    assert site_of(line) == Site(file="/tmp/cell.py", line=3, function="train", cell=None)
    monkeypatch.setattr(Cells, "number", lambda name: 7 if name == line.file else None)
    assert site_of(line) == Site(file="/tmp/cell.py", line=3, function="train", cell=7)
    assert site_of(None) is None


def test_what_is_counted_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as events:
        settle()
        events.clear()
        CENSUS.passing += 3
        settle()
        settle()
    (event,) = events
    assert isinstance(event, Counted)
    assert event.counts == {"CreateXlaTensor": 3, "DestroyXlaTensor": 3}
    assert event.site is None


def test_nothing_is_told_when_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(EVENTS, "sinks", ())
    monkeypatch.setattr(EVENTS, "emit", told.append)
    tell({"CreateXlaTensor": 1})
    assert told == []
