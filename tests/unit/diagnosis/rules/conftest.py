"""Cells of a tenth of a second are long enough here: what rules say is tried, and not from when on it is worth a word."""

import pytest

from x10_jupyter.diagnosis import claim


@pytest.fixture(autouse=True)
def any_time_is_worth_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "LEAST_NS", 0)
