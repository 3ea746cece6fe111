from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.records.events import Compiled, Cut, Stepped


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def test_a_barrier_computes_what_is_held() -> None:
    y = ones(2) + 1
    x10.barrier()
    assert isinstance(y.held, jax.Array)
    assert np.asarray(y).tolist() == [2, 2]


def test_waiting_does_not_make_dead_values_live() -> None:
    def live(*, wait: bool) -> int:
        with listening() as events:
            y = (ones(2) + 1) * 2
            x10.barrier(wait=wait)
            assert np.asarray(y).tolist() == [4, 4]
        return next(e.live for e in events if isinstance(e, Cut))

    assert [live(wait=False), live(wait=True)] == [1, 1]


def test_waiting_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[Any] = []
    kind = type(jax.numpy.ones(1))
    block = kind.block_until_ready
    monkeypatch.setattr(kind, "block_until_ready", lambda self: waited.append(self) or block(self))
    y = ones(2) + 1
    x10.barrier()
    assert waited == []
    z = y + 1
    x10.barrier(wait=True)
    assert [w is z.held for w in waited] == [True]


def test_a_barrier_without_operations_is_a_step_and_no_cut() -> None:
    with listening() as events:
        x10.barrier()
    assert [type(e) for e in events] == [Stepped]


def test_steps_follow_each_other_without_gaps(clock: Any) -> None:
    clock.time_ns = 1_000
    x10.barrier()
    with listening() as events:
        for ns in (5, 7):
            clock.advance(ns)
            y = ones(2) + 1
            clock.advance(100)
            x10.barrier()
            del y
    first, second = [e for e in events if isinstance(e, Stepped)]
    assert (first.start_ns, first.end_ns, second.start_ns, second.end_ns) == (1_000, 1_105, 1_105, 1_212)
    assert second.index == first.index + 1
    assert first.site is not None
    assert first.site.function == "test_steps_follow_each_other_without_gaps"


def test_a_step_that_nobody_listened_to_does_not_count_for_the_next(clock: Any) -> None:
    # A step used to begin at the last barrier that was listened to, however many had come since.
    with listening():
        x10.barrier()
    clock.time_ns = 5_000
    x10.barrier()
    clock.advance(10)
    with listening() as events:
        x10.barrier()
    (step,) = [e for e in events if isinstance(e, Stepped)]
    assert (step.start_ns, step.end_ns) == (5_000, 5_010)


def test_a_barrier_with_another_name_is_the_same() -> None:
    from x10_jupyter.lazy.api import LazyTensorBarrier

    assert LazyTensorBarrier is x10.barrier


def test_a_device_that_is_not_there_is_refused_before_anything_runs() -> None:
    y = ones(2) + 1
    with listening() as events, pytest.raises(ValueError, match="There is no such device; got CPU:99"):
        x10.barrier(on="CPU:99")
    assert [e for e in events if isinstance(e, (Cut, Compiled))] == []
    assert np.asarray(y).tolist() == [2, 2]
