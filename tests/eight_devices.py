"""Checks that need eight devices: a process of its own has them, made of the CPU.

Run as a script it does all of them. Its last line tells what became of each as JSON: nothing, or its traceback.
"""

import contextlib
import itertools
import json
import os
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any, cast

if __name__ == "__main__":  # JAX counts them when it is imported
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import x10_jupyter as x10
from runtime import causes, compiles, forget, listening
from x10_jupyter.records.runtime_events import Cut, Stepped

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(64, 32)).astype(np.float32), RNG.normal(size=(64, 1)).astype(np.float32)
SIZES = (32, 256, 256, 1)


def mesh(*shape: int, kind: AxisType = AxisType.Auto) -> Mesh:
    return Mesh(np.array(jax.devices()).reshape(shape or (8,)), ("data", "model")[: len(shape) or 1], axis_types=(kind,) * (len(shape) or 1))


def spread(*spec: Any, over: Mesh | None = None) -> NamedSharding:
    return NamedSharding(over or mesh(), P(*spec))


def ones(device: Any = None, shape: tuple[int, ...] = (16, 8)) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32), device=device)


@contextlib.contextmanager
def raises(*said: str) -> Any:
    """An error that says this is raised inside, so not only when something is read afterwards."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - which one, its words tell
        for each in said:
            assert each in str(error), f"{each!r} is not in {str(error)!r}"
    else:
        raise AssertionError(f"nothing was raised: {said}")


def mlp(device: Any = None) -> list[tuple[x10.Tensor, x10.Tensor]]:
    rng = np.random.default_rng(1)
    pairs = [(rng.normal(size=(a, b)).astype(np.float32) / np.sqrt(a), np.zeros(b, np.float32)) for a, b in itertools.pairwise(SIZES)]
    return [(x10.tensor(w, device=device), x10.tensor(b, device=device)) for w, b in pairs]


def loss(params: Any, x: Any, y: Any) -> Any:
    for w, b in params[:-1]:
        x = x10.nn.relu(x @ w + b)
    w, b = params[-1]
    return ((x @ w + b - y) ** 2).mean()


def train(params: Any, x: Any, y: Any, steps: int) -> tuple[Any, list[Any]]:
    losses = []
    for _ in range(steps):
        value, grads = x10.value_and_grad(loss)(params, x, y)
        params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)
        losses.append(value)
        x10.barrier()
    return params, losses


def check_data_lies_on_each_device_and_the_work_is_done_there() -> None:
    for i, device in enumerate(x10.devices()):
        assert str(device) == f"CPU:{i}"
        t = ones(device) * 2.0
        assert t.device == device
        assert t.data.devices() == {device.jax_device}
        assert t.device == device
    assert len(x10.devices()) == 8


def check_each_device_has_a_program_of_its_own_and_keeps_it() -> None:
    forget()
    data = [ones(device) for device in x10.devices()]

    def work() -> None:
        for t in data:
            y = (t * 2.0 + 1.0).sum()
            x10.barrier()
            assert float(y) == 384

    first = causes(work)
    assert [c.kind for c in first] == ["first", *["placement"] * 7], first
    assert [c.new.partition(",")[0] for c in first] == ["", *[f"CPU:{i}" for i in range(1, 8)]], first
    assert compiles(work) == []


def check_independent_work_needs_no_barrier_between_devices() -> None:
    data = [ones(device) for device in x10.devices()]

    def work() -> list[x10.Tensor]:
        found = [(t * 2.0 + 1.0).sum() for t in data]
        x10.barrier()
        return found

    work()
    with listening() as events:
        assert [float(t) for t in work()] == [384.0] * 8
    assert [e.why for e in events if isinstance(e, Cut)] == [*["device"] * 7, "barrier"]
    assert compiles(work) == []


def check_nothing_is_moved_by_itself() -> None:
    a, b = ones("CPU:2"), ones("CPU:5")
    pending = a * 3.0
    for mix in (lambda: a + b, lambda: pending + b, lambda: x10.numpy.stack([b, a]), lambda: x10.lazy(lambda x: x @ b.T)(pending)):
        with raises("All tensors must be on the same device, got CPU:", "CPU:2", "CPU:5"):
            mix()
    with raises("All tensors must be on the same device, got CPU:2 != CPU:5 instead. Move one of them: x10.tensor(t, device='CPU:2')."):
        a + b
    assert float(pending.sum()) == 384
    assert float((pending + b.to_device("CPU:2")).sum()) == 512
    assert float((x10.tensor(pending, device="CPU:5") + b).sum()) == 512


def check_spread_and_single_are_not_mixed() -> None:
    single, over = ones("CPU:3"), ones(spread("data"))
    with raises("got CPU:3 != CPU:0, CPU:1, CPU:2,", "Move one of them: x10.tensor(t, device=jax.NamedSharding(mesh, spec))."):
        single + over
    with raises("got CPU:0, CPU:1, CPU:2, CPU:3 != CPU:0,"):
        ones(NamedSharding(Mesh(np.array(jax.devices()[:4]), ("data",)), P("data"))) + over
    assert float((ones() + over).sum()) == 256  # what nobody has put anywhere goes along


def check_training_over_eight_devices_is_training() -> None:
    forget()
    _, alone = train(mlp(), x10.tensor(X), x10.tensor(Y), 10)
    params = mlp(spread())
    found: list[Any] = []
    made = compiles(lambda: found.append(train(params, x10.tensor(X, device=spread("data")), x10.tensor(Y, device=spread("data")), 10)))
    trained, over = found[0]
    np.testing.assert_allclose([float(v) for v in over], [float(v) for v in alone], rtol=1e-5)
    assert len(made) == 1, [c.cause for c in made]
    assert made[0].cause.kind == "placement", made[0].cause
    for p in jax.tree.leaves(trained):
        assert p.data.sharding.is_equivalent_to(spread(), p.ndim), p.data.sharding
    with listening() as events:
        train(trained, x10.tensor(X, device=spread("data")), x10.tensor(Y, device=spread("data")), 3)
    assert sum(isinstance(e, Stepped) for e in events) == 3


def check_training_with_spread_parameters_keeps_them_spread() -> None:
    forget()
    _, alone = train(mlp(), x10.tensor(X), x10.tensor(Y), 10)
    over = mesh(4, 2)
    places = [(spread(None, "model", over=over), spread("model", over=over)), (spread("model", over=over), spread(over=over)), (spread(over=over),) * 2]
    params = jax.tree.map(lambda t, s: t.to_device(s), mlp(), places)
    found: list[Any] = []
    made = compiles(lambda: found.append(train(params, x10.tensor(X, device=spread("data", over=over)), x10.tensor(Y, device=spread("data", over=over)), 10)))
    trained, losses = found[0]
    np.testing.assert_allclose([float(v) for v in losses], [float(v) for v in alone], rtol=1e-5)
    assert len(made) == 1, [c.cause for c in made]
    for p, s in zip(jax.tree.leaves(trained), jax.tree.leaves(places), strict=True):
        assert p.data.sharding.is_equivalent_to(s, p.ndim), (p.data.sharding, s)


def check_a_matrix_product_over_the_columns_stays_spread() -> None:
    w = x10.tensor(RNG.normal(size=(32, 64)).astype(np.float32), device=spread(None, "data"))
    y = x10.tensor(X) @ w
    assert y.sharding.is_equivalent_to(spread(None, "data"), 2)
    assert y.addressable_shards[3].data.shape == (64, 8)
    np.testing.assert_allclose(np.asarray(y), X @ np.asarray(w), rtol=1e-4, atol=1e-5)


def check_gradients_of_spread_tensors_are_spread() -> None:
    w = ones(spread("data"))
    value, gradient = x10.value_and_grad(lambda w: (w**3).sum())(w)
    assert float(value) == 128
    assert gradient.sharding.is_equivalent_to(spread("data"), 2)
    np.testing.assert_array_equal(np.asarray(gradient), np.full((16, 8), 3.0))
    assert float(x10.grad(lambda w: x10.grad(lambda w: (w**3).sum())(w).sum())(w).sum()) == 6 * 128


def check_another_sharding_is_the_cause_of_a_compile() -> None:
    forget()

    def step(x: x10.Tensor) -> Any:
        y = x * 2.0
        x10.barrier()
        return y

    step(ones(spread("data")))
    [cause] = causes(lambda: step(ones(spread(None, "data"))))
    everywhere = ", ".join(f"CPU:{i}" for i in range(8))
    assert (cause.kind, cause.where) == ("placement", "x"), cause
    assert (cause.old, cause.new) == (f"{P('data')} over {everywhere}", f"{P(None, 'data')} over {everywhere}"), cause
    assert compiles(lambda: step(ones(spread("data", None)))) == []


def check_reads_of_spread_tensors() -> None:
    data = np.arange(16, dtype=np.float32).reshape(8, 2)
    t = x10.tensor(data, device=spread("data"))
    pending = t + 1.0
    assert repr(pending) == "Tensor(f32[8,2], pending, 1 op)"
    assert pending.sharding.is_equivalent_to(spread("data"), 2)
    assert pending.device == pending.sharding
    assert [s.data.tolist() for s in pending.addressable_shards] == [[row] for row in (data + 1).tolist()]
    assert str(t) == str(data)
    assert [row.tolist() for row in t] == data.tolist()
    assert float(t[3, 1]) == 7
    assert t.is_fully_addressable
    assert not t.is_fully_replicated
    assert (t * 1.0).devices() == set(jax.devices())
    np.testing.assert_array_equal(np.asarray(t), data)


def check_jax_takes_spread_tensors() -> None:
    t = ones(spread("data")) * 2.0
    assert jax.device_put(t, spread()).sharding == spread()
    assert jax.device_put({"a": t}, jax.devices()[6])["a"].devices() == {jax.devices()[6]}
    assert jax.jit(lambda x: x + 1)(t).sharding.is_equivalent_to(spread("data"), 2)
    total = jax.shard_map(lambda x: jax.lax.psum(x, "data"), mesh=mesh(), in_specs=P("data"), out_specs=P())
    assert x10.lazy(total)(t).data.tolist() == np.full((2, 8), 16.0).tolist()
    assert np.asarray(jnp.sum(cast(Any, t))) == 256


def check_a_constraint_spreads() -> None:
    made = x10.lax.with_sharding_constraint(ones() * 2.0, spread("data"))
    assert made.sharding == spread("data")
    single = ones("CPU:3")
    with raises("got CPU:3 != CPU:0, CPU:1", "Move one of them: x10.tensor(t, device=jax.NamedSharding(mesh, spec))."):
        x10.lax.with_sharding_constraint(single, spread("data"))
    pending = ones() * 2.0
    with raises("`with_sharding_constraint` refuses these operands", "f32[]"):
        x10.lax.with_sharding_constraint(ones(shape=()), spread("data"))
    with raises("requires a non-empty mesh in context"):
        x10.lax.with_sharding_constraint(ones(), P("data"))
    assert float(pending.sum()) == 256
    with jax.set_mesh(mesh()):
        assert x10.lax.with_sharding_constraint(ones() * 2.0, P("data")).sharding == spread("data")


def check_under_a_mesh() -> None:
    for kind in (AxisType.Auto, AxisType.Explicit):
        x = ones()
        with jax.set_mesh(mesh(kind=kind)):
            late = x * 2.0
            assert (x10.numpy.ones((8, 8)) + 1.0).devices() == set(jax.devices())
            assert ones(P("data")).sharding.spec == P("data")
            assert (ones(P("data")) * 2.0).sharding.is_equivalent_to(NamedSharding(mesh(kind=kind), P("data")), 2)
        assert late.devices() == set(jax.devices())
        assert float(late.sum()) == 256


def check_explicit_axes_are_part_of_the_type() -> None:
    """As JAX has it: what is ambiguous is refused where it is written, not when it is computed."""
    forget()
    over = NamedSharding(mesh(kind=AxisType.Explicit), P("data"))
    x = ones(over)
    pending = (x * 2.0).T
    assert repr(pending) == "Tensor(f32[8,16@data], pending, 2 ops)"
    assert jax.typeof(pending) == jax.typeof((x.data * 2.0).T)
    with raises("it is ambiguous how the output should be sharded"):
        pending @ x
    assert (pending.sharding.spec, float(pending.sum())) == (P(None, "data"), 256)
    for weights in (lambda w: w.sum(), lambda w: x10.numpy.split(w, 2, axis=1)[0].sum()):  # these gradients need no data at all
        assert x10.grad(weights)(x).devices() == set(jax.devices())
    assert x10.grad(lambda w: (w**2).sum())(x).sharding.is_equivalent_to(over, 2)
    assert jax.jit(lambda x: x + 1).lower(x * 2.0).compile()(x.data).sharding.is_equivalent_to(over, 2)

    def step(x: x10.Tensor) -> Any:
        y = x * 2.0
        x10.barrier()
        return y

    forget()
    step(x)
    [cause] = causes(lambda: step(ones(NamedSharding(mesh(kind=AxisType.Explicit), P(None, "data")))))
    assert (cause.kind, cause.where, cause.old, cause.new) == ("placement", "x", "f32[16@data,8]", "f32[16,8@data]"), cause


def check_meshes_that_look_alike_keep_their_devices() -> None:
    """Also where the program reads no data of theirs."""
    forget()
    halves = [Mesh(np.array(jax.devices()[i : i + 4]), ("data",), axis_types=(AxisType.Explicit,)) for i in (0, 4)]
    for half in halves:
        assert x10.grad(lambda w: w.sum())(ones(NamedSharding(half, P("data")))).devices() == set(half.devices.flat)


def check_the_default_device() -> None:
    with jax.default_device(jax.devices()[6]):
        pending = ones() * 2.0
        assert str(x10.Device()) == "CPU:6"
        assert pending.device == x10.Device("CPU:6")
    assert pending.data.devices() == {jax.devices()[6]}
    assert x10.numpy.zeros(3, device="CPU:7").device == x10.Device("CPU:7")


def check_bad_placements_lose_nothing() -> None:
    pending = ones() * 2.0
    with raises("A sharding divides a dimension into equal parts", "dimension 0 of f32[15,8], 15, over mesh axis 'data' of size 8. Pad it to 16, cut it to 8"):
        ones(spread("data"), (15, 8))
    with raises("over mesh axis 'data' of size 4 and 'model' of size 2. Pad it to 16, cut it to 8"):
        ones(spread(None, ("data", "model"), over=mesh(4, 2)), (16, 12))
    with raises("A sharding names no more dimensions than there are, 1 here; got", "Leave 1 out of the spec."):
        ones(spread(None, "data"), (8,))
    with raises("There is no such device; got CPU:8. Choose one of CPU:0, CPU:1,"):
        ones("CPU:8")
    with raises("An abstract mesh has no devices to put data on; got", "over {'data': 16}"):
        ones(NamedSharding(jax.sharding.AbstractMesh((16,), ("data",)), P("data")))
    with raises("Number of devices 8 must be >= the product of mesh_shape (16,)"):
        jax.make_mesh((16,), ("data",))
    assert float(pending.sum()) == 256


def check_barriers_concern_their_devices() -> None:
    t = ones("CPU:4") * 2.0
    x10.barrier(on="CPU:3")
    assert t.held is None
    x10.barrier(devices=["CPU:3", "CPU:4"], wait=True)
    assert t.held is not None
    over = ones(spread("data")) * 2.0
    x10.barrier(on="CPU:7", wait=True)
    assert over.held is not None


def check_threads_have_their_devices() -> None:
    found: dict[int, Any] = {}

    def work(i: int) -> None:
        t = ones(f"CPU:{i}")
        for _ in range(20):
            t = t * 1.5
            x10.barrier(on=f"CPU:{i}")
        found[i] = t.data.devices(), float(t[0, 0])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {i: devices for i, (devices, _) in found.items()} == {i: {jax.devices()[i]} for i in range(8)}
    assert {value for _, value in found.values()} == {float(np.float32(1.5**20))}, found


def check_spread_parameters_are_updated_in_place() -> None:
    forget()
    w = [x10.tensor(np.ones((512, 512), np.float32), device=spread("data")) * 1.0]
    x10.barrier()
    for _ in range(3):
        pointers = [s.data.unsafe_buffer_pointer() for s in w[0].held.addressable_shards]
        w[0] = w[0] * 0.5
        x10.barrier()
        assert [s.data.unsafe_buffer_pointer() for s in w[0].held.addressable_shards] == pointers
    kept = w[0]
    w[0] = w[0] * 0.5
    x10.barrier()
    assert float(kept[0, 0]) == 0.125
    assert float(w[0][0, 0]) == 0.0625


CHECKS: dict[str, Callable[[], None]] = {name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")}


def main() -> None:
    warnings.simplefilter("error")
    found: dict[str, str | None] = {}
    for name, check in CHECKS.items():
        try:
            check()
        except BaseException:  # noqa: BLE001 - whatever it is, it is what became of the check
            found[name] = traceback.format_exc()
        else:
            found[name] = None
    print("\n" + json.dumps(found))  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main()
