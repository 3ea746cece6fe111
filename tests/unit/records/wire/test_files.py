from pathlib import Path

import pytest

from captures import hostile, training
from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire import files
from x10_jupyter.records.wire.files import read, write


def test_a_capture_comes_back_from_its_file(tmp_path: Path) -> None:
    write(hostile(), tmp_path / "one.json")
    assert read(str(tmp_path / "one.json"), Capture) == hostile()
    assert [each.name for each in tmp_path.iterdir()] == ["one.json"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path = tmp_path / "one.json"
    write(training(), path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UsageError, match="cut short, or is not JSON"):
        read(path, Capture)


def test_a_path_that_cannot_be_written_is_told_and_an_old_file_stays(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must be saved to a file that can be written; got .*nowhere.*nothing is lost"):
        write(training(), tmp_path / "nowhere" / "one.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="can be written"):
        write(training(), tmp_path / "folder")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_path_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(UsageError, match="must be loaded from a file that can be read"):
            read(path, Capture)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(training(), tmp_path / "one.json")
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    with pytest.raises(UsageError, match="smaller than 256 MiB"):
        read(tmp_path / "one.json", Capture)
