"""Data on several devices: programs of their own, a cause that says so, and no mixing."""

from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, forget, listening
from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.placement import place_of, place_text
from x10_jupyter.records.events import Cut


def ones(device: Any = None) -> x10.Tensor:
    return x10.tensor(np.ones((4, 2), np.float32), device=device)


def step(x: x10.Tensor) -> x10.Tensor:
    y = x * 2.0 + 1.0
    x10.barrier()
    return y


def test_a_program_runs_where_its_data_lies() -> None:
    forget()
    assert step(ones()).data.devices() == {jax.devices()[0]}
    assert step(ones("CPU:1")).data.devices() == {jax.devices()[1]}
    np.testing.assert_array_equal(np.asarray(step(ones("CPU:1"))), np.full((4, 2), 3.0, np.float32))


def test_another_device_is_the_cause_of_a_compile() -> None:
    forget()
    step(ones())
    [cause] = causes(lambda: step(ones("CPU:1")))
    assert (cause.kind, cause.where, cause.old, cause.new) == ("placement", "x", "CPU:0", "CPU:1")


def test_the_default_device_is_the_same_whether_data_is_bound_to_it_or_not() -> None:
    forget()
    step(ones())
    assert compiles(lambda: step(ones("CPU:0"))) == []
    assert place_of(jax.device_put(1.0, jax.devices()[0])) is None


def test_a_tensor_over_several_devices_is_one_program() -> None:
    forget()
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    step(ones())
    [cause] = causes(lambda: step(ones(sharding)))
    assert (cause.kind, cause.where, cause.old, cause.new) == ("placement", "x", "CPU:0", f"{sharding.spec} over CPU:0, CPU:1")
    assert place_text(sharding) == cause.new
    assert step(ones(sharding)).data.sharding.device_set == set(jax.devices()[:2])


def test_tensors_on_two_devices_are_not_mixed_and_nothing_is_lost() -> None:
    forget()
    here, there = ones("CPU:0"), ones("CPU:1")
    pending = here * 3.0
    with pytest.raises(OperandError, match=r"All tensors must be on the same device, got CPU:0 != CPU:1 instead"):
        pending + there
    assert float(pending.sum()) == 24.0


def test_data_that_is_bound_to_no_device_goes_where_the_other_is() -> None:
    total = ones("CPU:1") + ones()
    assert total.data.devices() == {jax.devices()[1]}


def test_independent_work_on_two_devices_is_cut_not_refused() -> None:
    """Nothing is mixed: the trace of the first device ends where that of the second begins."""
    forget()
    here, there = ones("CPU:0"), ones("CPU:1")
    with listening() as events:
        one = here * 3.0
        other = there * 4.0
        again = x10.numpy.cos(there) + other
        third = x10.numpy.sin(here)
    assert [e.why for e in events if isinstance(e, Cut)] == ["device", "device"]
    assert [t.data.devices() for t in (one, other, again, third)] == [{jax.devices()[i]} for i in (0, 1, 1, 0)]
    np.testing.assert_allclose(np.asarray(again), np.cos(1.0) + np.full((4, 2), 4.0), rtol=1e-6)
