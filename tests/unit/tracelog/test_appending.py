"""Appended as a whole, whatever happens to the file."""

import logging
import os
from pathlib import Path

import pytest

from x10_jupyter.tracelog.appending import Appending

FULL = Path("/dev/full")


def appending(path: Path | str) -> Appending:
    return Appending(lambda: str(path), "XLA_SAVE_TENSORS_FILE")


def test_what_is_there_stays_and_a_deleted_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("before\n")
    file = appending(path)
    file.append("one\n")
    assert path.read_text() == "before\none\n"
    path.unlink()
    file.append("two é\n")
    assert path.read_text(encoding="utf-8") == "two é\n"


def test_nothing_is_made_before_there_is_something_to_write(tmp_path: Path) -> None:
    appending(tmp_path / "log")
    assert list(tmp_path.iterdir()) == []


def test_text_that_no_encoding_has_is_written_all_the_same(tmp_path: Path) -> None:
    appending(tmp_path / "log").append("\ud800\n")
    assert (tmp_path / "log").read_text() == "\\ud800\n"


@pytest.mark.parametrize("name", ["", "no/such/folder/log"])
def test_a_file_that_cannot_be_written_is_told_once_and_tried_again(tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str) -> None:
    path = tmp_path / name
    file = appending(path)
    file.append("lost\n")
    file.append("lost, too\n")
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert f"XLA_SAVE_TENSORS_FILE: {path} cannot be written (" in caplog.messages[0]
    if name:
        path.parent.mkdir(parents=True)
        file.append("kept\n")
        assert path.read_text() == "kept\n"


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    file = appending(FULL)
    file.append("lost\n")
    file.append("lost, too\n")
    assert len(caplog.messages) == 1
    assert "No space left on device" in caplog.messages[0]


def test_a_pipe_is_written_to() -> None:
    read, write = os.pipe()
    appending(f"/dev/fd/{write}").append("a record\n")
    os.close(write)
    with os.fdopen(read) as end:
        assert end.read() == "a record\n"


def test_half_a_piece_does_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_text("before\n")

    class Small:
        """A file on a disk that has room for three bytes more."""

        def __init__(self) -> None:
            self.file = path.open("ab", buffering=0)
            self.room = 3
            self.tell, self.truncate, self.seekable = self.file.tell, self.file.truncate, self.file.seekable

        def __enter__(self) -> "Small":
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> int:
            if self.room == 0:
                raise OSError(28, "No space left on device")
            written, self.room = self.file.write(data[: self.room]), 0
            return written

    small = Small()
    monkeypatch.setattr(Path, "open", lambda *_, **__: small)
    appending(path).append("a record\n")
    monkeypatch.undo()
    assert path.read_text() == "before\n"
