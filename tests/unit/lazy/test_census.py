"""Tensors, buffers and programs are counted as they are made, and missed when somebody looks."""

import gc
from collections.abc import Callable, Mapping
from typing import Any
from weakref import ref

import numpy as np

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.lazy.census import FEW, Census
from x10_jupyter.lazy.producer import settle
from x10_jupyter.records.runtime_events import Counted


class Thing:
    pass


def counts_of(run: Callable[[], Any]) -> Mapping[str, int]:
    """What running something counts, after a look."""
    gc.collect()
    settle()
    with listening() as events:
        run()
        gc.collect()
        settle()
    (event,) = [e for e in events if isinstance(e, Counted)]
    return event.counts


def test_nothing_is_told_before_somebody_looks_and_nothing_twice() -> None:
    told: list[Mapping[str, int]] = []
    census = Census(told.append)
    things = [Thing() for _ in range(3)]
    census.cut(5, [ref(each) for each in things])
    census.program(things[0])
    assert told == []
    census.settle()
    assert told == [{"CreateXlaTensor": 5, "DestroyXlaTensor": 2, "CreateDataHandles": 3, "CreateCompileHandles": 1}]
    del things[1:]
    census.settle()
    assert told[1:] == [{"DestroyXlaTensor": 2, "DestroyDataHandles": 2}]
    census.settle()
    assert len(told) == 2


def test_the_references_kept_are_at_most_twice_what_is_alive_and_a_few() -> None:
    told: list[Mapping[str, int]] = []
    census = Census(told.append)
    alive = [Thing() for _ in range(1000)]
    census.cut(len(alive), [ref(each) for each in alive])
    for _ in range(20_000):
        census.cut(1, [ref(Thing())])
    assert len(census.holders.known) <= 2 * len(alive) + FEW + 1
    census.settle()
    assert sum(each.get("CreateXlaTensor", 0) for each in told) == 21_000
    assert sum(each.get("DestroyXlaTensor", 0) for each in told) == 20_000
    assert len(told) < 20


def test_a_step_of_the_runtime() -> None:
    x = x10.tensor(np.ones(3, np.float32))
    y = (x + 1) * 2
    x10.barrier()

    def step() -> None:
        nonlocal y
        y = (x + 1) * 2
        x10.barrier()

    # two operations, one of which nobody holds; the old value of y and its buffer go
    assert counts_of(step) == {"CreateXlaTensor": 2, "DestroyXlaTensor": 2, "CreateDataHandles": 1, "DestroyDataHandles": 1}


def test_data_of_the_user() -> None:
    def make() -> None:
        held = x10.tensor(np.ones(3, np.float32))
        assert x10.tensor(held.data).shape == (3,)  # shares the buffer

    assert counts_of(make) == {"CreateXlaTensor": 2, "DestroyXlaTensor": 2, "CreateDataHandles": 2, "DestroyDataHandles": 2}


def test_a_program_that_has_to_make_room() -> None:
    def two() -> None:
        with x10.config(compilation_cache_size=1):
            for shape in (11, 12):
                float((x10.tensor(np.ones(shape, np.float32)) + 1).sum())
        gc.collect()

    counts = counts_of(two)
    assert counts["CreateCompileHandles"] == 2
    assert counts["ReleaseCompileHandles"] >= 1
    assert counts["DestroyCompileHandles"] >= 1
