"""JAX's cache never raises, and tells what fails."""

from pathlib import Path
from typing import Any

import pytest
from jax._src import compilation_cache
from jax._src.lru_cache import LRUCache

from x10_jupyter.jax_gate.compile_cache import CarefulCache, CarefulCaches


@pytest.fixture
def heard() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def careful(tmp_path: Path, heard: list[tuple[str, str]]) -> CarefulCache:
    def trouble(what: str, error: Exception) -> None:
        heard.append((what, type(error).__name__))

    return CarefulCache(LRUCache(str(tmp_path), max_size=-1), trouble, compilation_cache.decompress_executable)


ENTRY = compilation_cache.compress_executable(b"program" * 100)


def test_what_is_put_is_found(careful: CarefulCache, heard: list[Any]) -> None:
    assert careful.get("key") is None
    careful.put("key", ENTRY)
    assert careful.get("key") == ENTRY
    assert heard == []


def test_a_damaged_entry_is_removed(careful: CarefulCache, heard: list[Any], tmp_path: Path) -> None:
    careful.put("key", ENTRY)
    (tmp_path / "key-cache").write_bytes(ENTRY[:10])
    assert careful.get("key") is None
    assert [what for what, _ in heard] == ["damaged"]
    assert not (tmp_path / "key-cache").exists()


def test_what_was_written_in_part_is_removed(careful: CarefulCache, heard: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_in_part(path: Any, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(careful.cache.path), "write_bytes", write_in_part)  # JAX has paths of its own where etils is installed
    careful.put("key", ENTRY)
    assert heard == [("write", "OSError")]
    assert list(tmp_path.iterdir()) == []


def test_what_can_neither_be_read_nor_written_nor_removed(careful: CarefulCache, heard: list[Any], tmp_path: Path) -> None:
    (tmp_path / "key-cache").mkdir()
    (tmp_path / "key-cache" / "inside").write_text("x")
    assert careful.get("key") is None
    careful.put("key", ENTRY)  # JAX takes it for one that is there
    assert heard == [("read", "IsADirectoryError")]


def test_jax_opens_careful_caches_until_told_otherwise(tmp_path: Path) -> None:
    original = compilation_cache.get_file_cache
    caches = CarefulCaches(lambda what, error: None)
    caches.put()
    try:
        cache, path = compilation_cache.get_file_cache(str(tmp_path)) or (None, "")
        assert isinstance(cache, CarefulCache)
        assert path == cache._path == str(tmp_path) or Path(cache._path) == tmp_path
    finally:
        caches.undo()
    assert compilation_cache.get_file_cache is original
