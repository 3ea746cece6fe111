from typing import Any

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.producer import EVENTS, drain, settle
from x10_jupyter.session.resident import REGISTRY


def test_it_counts_without_the_extension() -> None:
    x10.barrier()  # what another test left pending is not counted
    drain()
    settle()
    REGISTRY.clear()
    x: Any = x10.tensor(np.ones(3, np.float32))
    for lr in (0.1, 0.2):
        y = x * lr
        x10.barrier()
    assert y.shape == (3,)
    drain()
    settle()
    found: Any = REGISTRY.snapshot()
    assert REGISTRY in EVENTS.sinks
    assert (found["MarkStep"].value, found["x10::mul"].value, found["ExecuteTime"].total) == (2, 2, 2)
