"""What was compiled is remembered, within bounds."""

import pytest

from signatures import function, signature
from x10_jupyter.observe import history
from x10_jupyter.observe.history import History


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_FUNCTIONS", 3)
    monkeypatch.setattr(history, "MOST_INTERNED", 5)
    made = History()
    for number in range(8):
        made.put(function(f"f{number}", scope=("m", f"f{number}")), signature((number,)), source=f"f{number} at here:1")
    assert not made.family("f0").known
    assert made.family("f7").known
    assert made.in_scope(("m", "f0")) is None
    assert made.in_scope(("m", "f7")) == made.of_source("f7 at here:1") == "f7"
    monkeypatch.undo()
    many = made.family("many")
    for number in range(history.MOST_SIGNATURES + 5):
        made.put(function("many"), signature((number,)))
    assert len(many.known) == history.MOST_SIGNATURES
    made.clear()
    assert not made.family("f7").known
    assert made.of_source("f7 at here:1") is None
