"""What stands for a tensor, as Python's memory sees it."""

import gc
import pickle
import sys
import weakref
from typing import Any

import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.value import IS_COMPILED, Value


def made() -> Any:
    return x10.tensor(np.arange(3, dtype=np.float32))


def test_the_collector_looks_at_no_tensor_where_they_are_compiled() -> None:
    t = made()
    assert gc.is_tracked(t) is not IS_COMPILED
    assert gc.is_tracked(t + 1) is not IS_COMPILED


def test_a_tensor_goes_with_its_last_reference() -> None:
    t = made()
    gone = weakref.ref(t)
    kept: list[Any] = [{"t": (t,)}]
    kept.append(kept)
    del t
    assert gone() is not None
    del kept
    gc.collect()
    assert gone() is None, "what refers to it is collected, and so it goes"


def test_tensors_that_go_leave_nothing_behind() -> None:
    t = made()
    kinds, blocks = sys.getrefcount(type(t)), sys.getallocatedblocks()
    for _ in range(20_000):
        t = t + 1
        if t.ref > 500:
            x10.barrier()
    x10.barrier()
    assert abs(sys.getrefcount(type(t)) - kinds) < 10
    assert sys.getallocatedblocks() - blocks < 15_000, "a block for each tensor would be more"
    assert np.asarray(t).tolist() == [20_000, 20_001, 20_002]


def test_tensors_are_copied_and_pickled() -> None:
    t = made()
    assert isinstance(t, Value)
    assert np.asarray(pickle.loads(pickle.dumps(t))).tolist() == [0, 1, 2]
