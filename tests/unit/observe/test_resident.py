from pathlib import Path

import numpy as np
import pytest

from x10_jupyter.observe import resident
from x10_jupyter.observe.resident import most_bytes, resident_bytes


def test_memory_that_is_in_use_is_seen() -> None:
    before = resident_bytes()
    held = np.ones(32 * 2**20, np.uint8)
    assert resident_bytes() - before > held.nbytes // 2


def test_where_linux_does_not_tell_it_is_the_most_that_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "STATM", Path("/nowhere"))
    assert resident_bytes() == most_bytes() > 2**20
