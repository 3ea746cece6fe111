import logging
from io import StringIO
from pathlib import Path

import pytest

from factories import read, stepped
from x10_jupyter.metrics.step_file import StepFile


def test_a_report_at_each_step_and_at_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    path.write_text("before\n")
    sink = StepFile(lambda: str(path), lambda: "Counter: MarkStep\n  Value: 1")
    for event in (stepped(0, 1, 3), read(0, 1), stepped(1, 2, 4)):
        sink.emit(event)
    block = "Counter: MarkStep\n  Value: 1\n"
    assert path.read_text() == f"before\n[MetricsData; step=3]\n{block}[MetricsData; step=4]\n{block}"


def test_a_file_that_is_deleted_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    sink = StepFile(lambda: str(path), lambda: "")
    sink.emit(stepped(0, 1, 1))
    path.unlink()
    sink.emit(stepped(0, 1, 2))
    assert path.read_text() == "[MetricsData; step=2]\n\n"


def test_a_stream_is_the_one_in_place_at_that_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = StringIO(), StringIO()
    sinks = [StepFile(lambda name=name: name, lambda: "r") for name in ("STDOUT", "STDERR")]
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    for sink in sinks:
        sink.emit(stepped(0, 1, 1))
    assert out.getvalue() == err.getvalue() == "[MetricsData; step=1]\nr\n"


@pytest.mark.parametrize("target", ["{tmp}/no/such/folder/metrics.txt", "{tmp}", "/dev/full"])
def test_one_that_cannot_be_written_is_told_once(target: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = target.format(tmp=tmp_path)
    sink = StepFile(lambda: path, lambda: "r")
    with caplog.at_level(logging.WARNING):
        for index in range(3):
            sink.emit(stepped(0, 1, index))
    (record,) = caplog.records
    assert record.getMessage().startswith(f"The metrics file {path} cannot be written (")


def test_a_stream_that_is_closed(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    out = StringIO()
    out.close()
    monkeypatch.setattr("sys.stdout", out)
    StepFile(lambda: "STDOUT", lambda: "r").emit(stepped(0, 1, 1))
    assert "cannot be written" in caplog.text
