from pathlib import Path

import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.base.files import write_whole


def test_a_file_is_replaced_and_nothing_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a").write_text("old, and longer")
    assert write_whole("~/a", "new →\n", what="A text") == tmp_path / "a"
    assert (tmp_path / "a").read_text(encoding="utf-8") == "new →\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_what_utf8_cannot_express_is_replaced(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", "x\ud800y", what="A text").read_bytes() == b"x?y"


@pytest.mark.parametrize("path", ["nowhere/a", "file/a", "folder", "", "\0", "~nosuchuser0/a"])
def test_a_path_that_cannot_be_written_is_told(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match=r"^A text must be saved to a file that can be written; got .*Choose another path; nothing is lost\.$"):
        write_whole(path, "new", what="A text")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "old"
