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
    t = counted(made(), 2_000)  # makes the programs, too
    kinds, blocks = sys.getrefcount(type(t)), sys.getallocatedblocks()
    t = counted(t, 20_000)
    assert abs(sys.getrefcount(type(t)) - kinds) < 10
    assert sys.getallocatedblocks() - blocks < 5_000, "a block for each tensor would be more"
    assert np.asarray(t).tolist() == [22_000, 22_001, 22_002]


def counted(t: Any, times: int) -> Any:
    """The tensor after so many additions, in traces of 500."""
    for i in range(times):
        t = t + 1
        if i % 500 == 499:
            x10.barrier()
    return t


def test_tensors_are_copied_and_pickled() -> None:
    t = made()
    assert isinstance(t, Value)
    assert np.asarray(pickle.loads(pickle.dumps(t))).tolist() == [0, 1, 2]
