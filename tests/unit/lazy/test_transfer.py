"""Moving between devices: never by itself, and with the gradient."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import x10_jupyter as x10
from runtime import listening, run_cell
from x10_jupyter.base.errors import LostValueError, UsageError
from x10_jupyter.lazy.transfer import is_there, moved, put
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import Cut, FellBack, Transferred

ONE, TWO = jax.devices()[:2]


def sharding(*spec: Any) -> NamedSharding:
    return NamedSharding(Mesh(np.array([ONE, TWO]), ("x",)), PartitionSpec(*spec))


def ones(device: Any = None) -> x10.Tensor:
    return x10.tensor(np.ones((4, 2), np.float32), device=device)


@pytest.mark.parametrize("where", ["CPU:1", x10.Device("CPU:1"), TWO, sharding("x"), sharding(None, "x")], ids=str)
@pytest.mark.parametrize("move", [lambda t, d: t.to_device(d), lambda t, d: x10.tensor(t, device=d)], ids=["to_device", "tensor"])
def test_a_pending_tensor_is_computed_and_moved(move: Any, where: Any) -> None:
    there = move(ones() * 3.0, where)
    assert there.data.devices() == ({TWO} if not isinstance(where, NamedSharding) else {ONE, TWO})
    assert there.data.committed
    np.testing.assert_array_equal(np.asarray(there + 1.0), np.full((4, 2), 4.0, np.float32))


def test_what_is_there_stays_the_same_tensor() -> None:
    bound, spread = ones("CPU:1"), ones(sharding("x"))
    assert bound.to_device("CPU:1") is bound
    assert bound.to_device(None) is bound
    assert spread.to_device(sharding("x", None)) is spread
    assert ones().to_device("CPU:0").data.committed  # it was there, but not bound to it
    assert not is_there(bound.data, TWO.platform)


def test_a_stream_is_refused() -> None:
    with pytest.raises(UsageError, match="JAX orders transfers itself; got stream=3"):
        ones().to_device("CPU:1", stream=3)


def test_the_precision_and_the_weak_type_are_kept() -> None:
    reduced = x10.to_reduced_precision(ones()).to_device("CPU:1")
    assert (reduced.dtype, reduced.is_reduced_precision) == (np.float32, True)
    assert x10.tensor(1.0).to_device("CPU:1").weak_type is x10.tensor(1.0).weak_type


def test_the_buffer_of_another_device_is_the_runtimes_own() -> None:
    """Then a program may overwrite it; one on the same device may be the very same buffer."""
    assert moved(ones(), TWO, "").held not in VISIBLE
    assert moved(ones(), ONE, "").held in VISIBLE
    assert moved(ones(), sharding("x"), "").held in VISIBLE


@pytest.mark.parametrize("where", ["CPU:1", sharding("x")], ids=str)
def test_it_has_a_gradient(where: Any) -> None:
    def loss(w: x10.Tensor) -> x10.Tensor:
        return ((w * 2.0).to_device(where) ** 3).sum()

    w = ones()
    value, gradient = x10.value_and_grad(loss)(w)
    assert float(value) == 64
    np.testing.assert_array_equal(np.asarray(gradient), np.full((4, 2), 24.0))  # of 8 w³
    assert (w - gradient).data.devices() == {ONE}


def test_so_has_its_gradient() -> None:
    def loss(w: x10.Tensor) -> x10.Tensor:
        return (x10.tensor(w * w, device="CPU:1") ** 2).sum()

    second = x10.grad(lambda w: x10.grad(loss)(w).sum())(ones())
    np.testing.assert_array_equal(np.asarray(second), np.full((4, 2), 12.0))  # w⁴


def test_a_move_is_told_as_a_transfer_and_its_cut_with_the_line() -> None:
    names: dict[str, Any] = {"t": ones() * 2.0}
    with listening() as events:
        run_cell("\nu = t.to_device('CPU:1')\n", names)
    [cut] = [e for e in events if isinstance(e, Cut)]
    [event] = [e for e in events if isinstance(e, Transferred)]
    assert (cut.why, cut.how, cut.site and cut.site.line) == ("device", ".to_device()", 2)
    assert (event.direction, event.aval, event.size_bytes, event.site and event.site.line) == ("between_devices", "f32[4,2]", 32, 2)
    assert not any(isinstance(e, FellBack) for e in events)


def test_inside_a_traced_function_it_is_jaxs() -> None:
    ours, theirs = [jax.jit(lambda x, put=put: put(x, device=sharding("x")) * 2)(jnp.ones((4, 2))) for put in (x10.tensor, jax.device_put)]
    assert ours.sharding == theirs.sharding
    assert ours.devices() == {ONE, TWO}


@pytest.mark.parametrize(
    ("shape", "where", "said"),
    [
        (
            (3, 2),
            sharding("x"),
            r"^A sharding divides a dimension into equal parts; got dimension 0 of f32\[3,2\], 3, over mesh axis 'x' of size 2\. "
            r"Pad it to 4, cut it to 2, or leave it whole with None in the spec\.$",
        ),
        ((4, 1), sharding(None, ("x",)), "got dimension 1 of .*, 1, over mesh axis 'x' of size 2. Pad it to 2, cut it to 0"),
        ((), sharding("x"), r"^A sharding names no more dimensions than there are, 0 here; got P\('x',?\) for f32\[\]\. Leave 1 out of the spec\.$"),
    ],
)
def test_a_sharding_that_does_not_divide_the_shape(shape: tuple[int, ...], where: Any, said: str) -> None:
    data = np.ones(shape, np.float32)
    pending = ones() * 2.0
    for make in (
        lambda: x10.tensor(data, device=where),
        lambda: x10.tensor(jnp.asarray(data), device=where),
        lambda: x10.tensor(x10.tensor(data) * 1.0, device=where),
        lambda: x10.tensor(data).to_device(where),
        lambda: put(data, where),
    ):
        with pytest.raises(UsageError, match=said):
            make()
    assert float(pending.sum()) == 16


def test_any_other_refusal_says_what_jax_says() -> None:
    class Odd:
        """No place at all."""

    with pytest.raises(UsageError, match=r"^The data cannot be put there \(.*; got f32\[2\] and "):
        put(np.ones(2, np.float32), Odd())


def test_what_was_lost_or_deleted_is_not_moved() -> None:
    array = jnp.ones((4, 2)) * 1
    t = x10.tensor(array)
    array.delete()
    with pytest.raises(LostValueError, match=r"^The array of this tensor has been deleted, .*; got f32\[4,2\]\. Make the tensor again"):
        t.to_device("CPU:1")
    with pytest.raises(UsageError, match=r"^An array that has been deleted has no data; got f32\[4,2\]"):
        x10.tensor(array, device="CPU:1")
