"""Every source file has a test file of its name at the same place."""

from pathlib import Path

import pytest

import x10_jupyter

SOURCE, TESTS = Path(x10_jupyter.__file__).parent, Path(__file__).parent
FILES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=str)
def test_it_has_a_twin(path: Path) -> None:
    twin = TESTS / path.parent / f"test_{path.name}"
    assert twin.exists(), f"{path} has no twin {twin.relative_to(TESTS.parent)}"


def test_there_is_something_to_look_at() -> None:
    assert len(FILES) > 80
