"""What was compiled counts only where it was made of the sources that are there."""

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import x10_jupyter
from x10_jupyter.base.compiled import MODULES, folder, is_built, sources

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


def written(home: Path, data: bytes) -> list[Path]:
    """A file for each module."""
    files = [home / f"{name}{EXTENSION_SUFFIXES[0]}" for name in MODULES]
    for file in files:
        file.write_bytes(data)
    return files


def test_where_nothing_was_compiled_for_this_python_python_is_to_run(tmp_path: Path) -> None:
    assert not is_built(tmp_path / "none")
    (tmp_path / "core.of-another-python.so").touch()
    assert not is_built(tmp_path)


def test_of_some_the_first_that_is_missing_is_named(tmp_path: Path) -> None:
    missing = written(tmp_path, b"")[3]
    missing.unlink()
    with pytest.raises(ImportError, match=f"{missing.name} is missing"):
        is_built(tmp_path)


def test_what_is_no_module_is_named(tmp_path: Path) -> None:
    first, *_ = written(tmp_path, b"no module" * 100)
    with pytest.raises(ImportError, match=f"^{first} cannot be loaded: ") as told:
        is_built(tmp_path)
    assert str(told.value).count(str(first)) == 1


def test_what_ends_too_early_is_not_given_to_the_system_which_may_end_the_process(tmp_path: Path) -> None:
    table, of_sections = (10_000).to_bytes(8, "little"), (64).to_bytes(2, "little") + (30).to_bytes(2, "little")
    head = b"\x7fELF\x02\x01" + bytes(34) + table + bytes(10) + of_sections + bytes(2)
    assert len(head) == 64
    written(tmp_path, head + bytes(4_000))
    with pytest.raises(ImportError, match="cannot be loaded: it ends too early"):
        is_built(tmp_path)
