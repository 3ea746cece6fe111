"""What was compiled counts only where it was made of the sources that are there."""

from pathlib import Path

import pytest

import x10_jupyter
from x10_jupyter.base.compiled import folder, sources

LAZY = Path(x10_jupyter.__file__).parent / "lazy"


def copied(to: Path) -> Path:
    for source in sources(LAZY):
        (to / source.name).write_bytes(source.read_bytes())
    return to


def test_each_module_is_there_and_says_its_types() -> None:
    assert [source for source in sources(LAZY) if not source.exists()] == []


def test_the_same_sources_have_the_same_folder(tmp_path: Path) -> None:
    there = folder(copied(tmp_path))
    assert there.parent == tmp_path / "compiled"
    assert there.name == folder(LAZY).name


@pytest.mark.parametrize("name", ["core.py", "core.pxd"])
def test_an_edit_has_another_folder(tmp_path: Path, name: str) -> None:
    before = folder(copied(tmp_path))
    with (tmp_path / name).open("a") as source:
        source.write("\n")
    assert folder(tmp_path) != before


def test_without_sources_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="checks"):
        folder(tmp_path)
