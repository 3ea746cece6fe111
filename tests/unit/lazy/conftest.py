"""Each test of the runtime begins as a fresh process does."""

from collections.abc import Iterator

import pytest

from runtime import forget
from x10_jupyter.base.clock import ManualClock
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import CLOCK


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget()
    LOCAL.trace.look()  # a test may have changed settings, or who hears of it


@pytest.fixture
def trace() -> Iterator[Trace]:
    """This thread's trace; its limit is put back after the test."""
    limit = LOCAL.trace.limit
    yield LOCAL.trace
    LOCAL.trace.limit = limit


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    """The runtime's clock, moved by hand."""
    made = ManualClock()
    monkeypatch.setattr(CLOCK, "now_ns", made.now_ns)
    return made
