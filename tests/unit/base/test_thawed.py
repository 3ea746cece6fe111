"""Frozen objects are seen for a moment."""

import gc
from collections.abc import Iterator

import pytest

from x10_jupyter.base.thawed import thawed


@pytest.fixture
def frozen() -> Iterator[object]:
    it = [object]
    gc.freeze()
    yield it
    gc.unfreeze()


def test_frozen_objects_are_seen_and_frozen_again(frozen: object) -> None:
    assert not any(one is frozen for one in gc.get_objects())
    with pytest.raises(ZeroDivisionError), thawed():
        assert any(one is frozen for one in gc.get_objects())
        raise ZeroDivisionError
    assert not any(one is frozen for one in gc.get_objects())


def test_what_nobody_has_frozen_stays_free() -> None:
    gc.unfreeze()
    with thawed():
        pass
    assert gc.get_freeze_count() == 0
