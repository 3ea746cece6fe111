"""Data on several devices: programs of their own, a cause that says so, and no mixing."""

from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, forget, listening
from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.placement import place_text
from x10_jupyter.records.runtime_events import Cut


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


def test_results_are_bound_to_a_device_if_the_data_is_whatever_ran_before() -> None:
    """One program for both would give results that can be mixed, or cannot, by what was compiled first."""
    forget()
    for device in (None, "CPU:0", None, "CPU:0"):
        assert step(ones(device)).data.committed is (device is not None)
    [cause] = (forget(), step(ones()), causes(lambda: step(ones("CPU:0"))))[-1]
    assert (cause.kind, cause.where, cause.old, cause.new) == ("placement", "x", "CPU:0", "CPU:0, committed")


def test_it_does_not_matter_which_inputs_are_bound_to_the_default_device() -> None:
    """As in a first step, whose parameters nobody has put anywhere, and in those after it."""
    forget()
    a, b = ones(), ones("CPU:0")
    step(a + b)
    assert compiles(lambda: step(b + a) is step(b + ones("CPU:0"))) == []


def test_under_another_default_device_the_first_one_is_a_device_like_any_other() -> None:
    forget()
    with jax.default_device(jax.devices()[1]):
        assert step(ones()).data.devices() == {jax.devices()[1]}
        assert step(ones("CPU:0")).data.devices() == {jax.devices()[0]}
        assert step(ones("CPU:1")).data.devices() == {jax.devices()[1]}
        assert place_text(None, current()) == "CPU:1"


def test_what_was_refused_leaves_no_device_behind() -> None:
    """The trace used to stay on the first tensor's device, and the next operation never ended."""
    forget()
    here, there = ones("CPU:0"), ones("CPU:1")
    x10.barrier()
    with pytest.raises(OperandError, match="got CPU:0 != CPU:1"):
        here @ there
    assert (there * 3.0).data.devices() == {jax.devices()[1]}


def test_a_tensor_over_several_devices_is_one_program() -> None:
    forget()
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    step(ones())
    [cause] = causes(lambda: step(ones(sharding)))
    assert (cause.kind, cause.where, cause.old, cause.new) == ("placement", "x", "CPU:0", f"{sharding.spec} over CPU:0, CPU:1")
    assert place_text(sharding, current()) == cause.new
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


def mesh_of(*which: int, kind: Any = jax.sharding.AxisType.Auto) -> jax.sharding.Mesh:
    return jax.sharding.Mesh(np.array([jax.devices()[i] for i in which]), ("x",), axis_types=(kind,))


@pytest.mark.parametrize("kind", [jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit])
def test_a_mesh_that_is_set_says_where_the_work_is_done_also_when_it_is_read_later(kind: Any) -> None:
    forget()
    x = ones()
    with jax.set_mesh(mesh_of(0, 1, kind=kind)):
        pending = x * 2.0
    assert pending.data.devices() == set(jax.devices()[:2])


def test_two_meshes_that_look_alike_are_not_the_same_devices() -> None:
    """JAX keeps only the mesh's shape in its trace context."""
    forget()
    x, found = ones(), []
    with jax.set_mesh(mesh_of(0)):
        found.append((x * 2.0).data.devices())
        with jax.set_mesh(mesh_of(1)):
            found.append((x * 2.0).data.devices())
        found.append((x * 2.0).data.devices())
    assert found == [{jax.devices()[i]} for i in (0, 1, 0)]


def test_under_a_mesh_data_that_is_bound_elsewhere_is_refused_where_it_is_used() -> None:
    forget()
    x = ones("CPU:1")
    with jax.set_mesh(mesh_of(0, 1)):
        with pytest.raises(
            OperandError, match=r"got CPU:0, CPU:1 != CPU:1 instead\. Move one of them: x10\.tensor\(t, device=jax\.NamedSharding\(mesh, spec\)\)"
        ):
            x * 2.0
        assert float((ones() * 2.0).sum()) == 16
    assert float((x * 2.0).sum()) == 16


def test_the_order_of_the_devices_counts() -> None:
    """JAX compiles no program for both, and used to say so at the cut, where everything pending was lost."""
    forget()
    one, other = [ones(jax.sharding.NamedSharding(mesh_of(*order), jax.sharding.PartitionSpec("x"))) for order in ((0, 1), (1, 0))]
    pending = one * 2.0
    with pytest.raises(OperandError, match="got CPU:0, CPU:1 != CPU:1, CPU:0 instead"):
        pending + other
    assert float(pending.sum()) == 16


def test_an_operation_that_names_its_devices_is_refused_for_data_elsewhere() -> None:
    forget()
    sharding = jax.sharding.NamedSharding(mesh_of(0, 1), jax.sharding.PartitionSpec("x"))
    there = ones("CPU:1") * 2.0
    for operand in (there, ones("CPU:1"), ones("CPU:0")):
        with pytest.raises(OperandError, match=r"must be on the same device, got CPU:\d != CPU:0, CPU:1"):
            x10.lax.with_sharding_constraint(operand, sharding)
    spread = x10.lax.with_sharding_constraint(ones(), sharding)  # the pending work on CPU:1 is cut, not refused
    assert spread.data.sharding == sharding
    assert float(there.sum()) == 16


def test_a_constraint_on_a_known_path_is_refused_too() -> None:
    forget()
    sharding = jax.sharding.NamedSharding(mesh_of(0, 1), jax.sharding.PartitionSpec("x"))
    both = x10.lazy(lambda x, y: (jax.lax.with_sharding_constraint(x, sharding), y))
    for _ in range(2):
        both(ones(), ones())
        x10.barrier()
        with pytest.raises(OperandError, match="got CPU:1 != CPU:0, CPU:1 instead"):
            both(ones("CPU:1"), ones())
        assert float((ones("CPU:1") * 2.0).sum()) == 16


def test_what_xla_calls_a_sharding_does_not_make_another_program() -> None:
    """Results of `P('x')` may come back as `P('x', None)`."""
    forget()
    x = ones(jax.sharding.NamedSharding(mesh_of(0, 1, kind=jax.sharding.AxisType.Explicit), jax.sharding.PartitionSpec("x")))

    def three() -> None:
        y = x
        for _ in range(3):
            y = step(y)

    assert len(compiles(three)) == 1
