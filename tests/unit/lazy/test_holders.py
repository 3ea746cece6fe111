"""Who holds a value is named on a miss."""

import sys
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.holders import SEES_WITHOUT_PINNING, holders

HELD: dict[str, Any] = {}


def pending() -> x10.Tensor:
    return x10.tensor(np.ones(2, np.float32)) * 3.0


def test_a_global_variable_and_what_is_in_one(trace: Trace) -> None:
    frame = sys._getframe()
    t = pending()
    HELD["t"] = [t]
    globals()["KEPT_TENSOR"], globals()["KEPT_LIST"] = t, HELD["t"]
    try:
        found = holders(t, trace, frame)
    finally:
        del globals()["KEPT_TENSOR"], globals()["KEPT_LIST"]
        HELD.clear()
    assert "`KEPT_TENSOR`" in found
    assert "`KEPT_LIST[...]`" in found


@pytest.mark.parametrize(("hold", "expected"), [(lambda t: [t], "a list"), (lambda t: (t,), "a tuple"), (lambda t: {"k": t}, "a dict")])
def test_a_container_of_no_name(hold: Any, expected: str, trace: Trace) -> None:
    t = pending()
    kept = hold(t)
    assert holders(t, trace, None) == expected
    del kept


def test_a_running_functions_variable(trace: Trace) -> None:
    t = pending()
    found = holders(t, trace, sys._getframe())
    assert found == ("`t`" if SEES_WITHOUT_PINNING else "a variable of a function that is running")


def test_looking_holds_nothing(trace: Trace) -> None:
    t = pending()
    before = sys.getrefcount(t)
    holders(t, trace, sys._getframe())
    assert sys.getrefcount(t) == before
