import sys
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.base.errors import LostValueError, UsageError
from x10_jupyter.lazy.execute import LAUNCHED
from x10_jupyter.records.runtime_events import Compiled, Cut, Stepped


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


def test_waiting_waits(waited: list[Any]) -> None:
    y = ones(2) + 1
    x10.barrier()
    assert waited == []
    z = y + 1
    x10.barrier(wait=True)
    assert waited[0] is z.held
    assert any(y.held is each for each in waited)  # of an earlier barrier


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
    with listening() as events:
        for on, devices in (("CPU:99", ()), (None, ["CPU:0", "CPU:99"])):
            with pytest.raises(UsageError, match="There is no such device; got CPU:99"):
                x10.barrier(on=on, devices=devices)
    assert [e for e in events if isinstance(e, (Cut, Compiled))] == []
    assert np.asarray(y).tolist() == [2, 2]


def test_only_what_is_pending_on_the_device_is_computed() -> None:
    here = ones(2) + 1
    x10.barrier(on="CPU:1")
    x10.barrier(devices=["CPU:1", jax.devices()[1]])
    assert here.held is None
    x10.barrier(on="CPU:0")
    assert here.held is not None
    there = x10.tensor(np.ones(2, np.float32), device="CPU:1") + 1
    x10.barrier(on="")
    assert there.held is None
    x10.barrier(on="CPU:0", devices=[x10.Device("CPU:1")])
    assert there.held is not None


def test_a_trace_over_several_devices_is_on_each_of_them() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    for where in ("CPU:0", "CPU:1", sharding):
        spread = x10.tensor(np.ones(2, np.float32), device=sharding) + 1
        x10.barrier(on=where)
        assert spread.held is not None
    here = ones(2) + 1
    x10.barrier(on=sharding)
    assert here.held is not None


def test_data_that_nobody_put_anywhere_is_on_the_default_device() -> None:
    with jax.default_device(jax.devices()[1]):
        pending = ones(2) + 1
        x10.barrier(on="CPU:0")
        assert pending.held is None
        x10.barrier(on="CPU:1")
        assert pending.held is not None


def test_a_trace_that_is_left_alone_ends_no_step() -> None:
    pending = ones(2) + 1
    with listening() as events:
        x10.barrier(on="CPU:1", wait=True)
        assert [type(e) for e in events] == []
        x10.barrier(on="CPU:0")
    assert sum(isinstance(e, Stepped) for e in events) == 1
    assert float(pending.sum()) == 4


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arrays that are waited for, but for those that the watcher looks after."""
    found: list[Any] = []
    kind = type(jax.numpy.ones(1))
    block = kind.block_until_ready

    def noting(array: Any) -> Any:
        if not sys._getframe(1).f_code.co_filename.endswith("watcher.py"):
            found.append(array)
        return block(array)

    monkeypatch.setattr(kind, "block_until_ready", noting)
    return found


def test_waiting_is_for_what_was_launched_on_the_device_before_also_if_nobody_refers_to_it(waited: list[Any]) -> None:
    there = x10.tensor(np.ones(2, np.float32), device="CPU:1") + 1
    x10.barrier()
    del there
    token = LAUNCHED[-1]
    x10.barrier(on="CPU:0", wait=True)
    assert not any(token is each for each in waited)
    assert all(jax.devices()[0] in each.devices() for each in waited)
    x10.barrier(on="CPU:1", wait=True)
    assert any(token is each for each in waited)


def test_waiting_is_for_ordinary_jax_and_for_operations_that_ran_on_their_own(waited: list[Any]) -> None:
    theirs = jax.numpy.arange(3) + 1
    fallen_back = x10.numpy.nonzero(ones(2))[0]
    x10.barrier(wait=True)
    assert any(theirs is each for each in waited)
    assert any(fallen_back.held is each for each in waited)


def test_waiting_is_no_place_for_failures_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    y = ones(2) + 1
    x10.barrier()
    kind = type(y.held)
    block = kind.block_until_ready

    def failing(self: Any) -> Any:
        if self is y.held:
            raise jax.errors.JaxRuntimeError("a bad batch")
        return block(self)

    monkeypatch.setattr(kind, "block_until_ready", failing)
    x10.barrier(wait=True)
    with pytest.raises(LostValueError, match="a bad batch"):
        y.block_until_ready()


def test_waiting_tells_of_what_fails_now() -> None:
    def fail(x: np.ndarray) -> np.ndarray:
        raise ValueError("a bad batch")

    bad = x10.lazy(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((2,), np.float32), x))(ones(2))
    with pytest.raises(LostValueError, match="a bad batch"):
        x10.barrier(wait=True)
    assert bad.shape == (2,)
