"""Devices by name."""

import pickle
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

import x10_jupyter as x10
from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.device import Device, default_device, device_of, devices_among


@pytest.mark.parametrize("name", ["CPU:0", "cpu:0", "CPU", ":0", "", "CPU:"])
def test_a_name_is_kind_and_ordinal_with_defaults(name: str) -> None:
    assert device_of(name) is jax.devices("cpu")[0]


def test_without_a_name_it_is_the_default() -> None:
    second = jax.devices()[1]
    with jax.default_device(second):
        assert device_of("") is device_of(x10.Device()) is default_device() is second
        assert device_of("CPU") is jax.devices()[0]
    with jax.default_device("cpu"):
        assert default_device() is jax.devices()[0]


def test_what_jax_knows_is_itself() -> None:
    device, placed = jax.devices()[0], cast(Any, jnp.ones(2))
    sharding = jax.sharding.SingleDeviceSharding(device)
    format_ = placed.format
    for each in (device, sharding, format_, None):
        assert device_of(each) is each


@pytest.mark.parametrize("name", ["CPU:99", "CPU:-1", "CPU:x", "NPU:0"])
def test_an_unknown_device_is_refused_with_those_there_are(name: str) -> None:
    for find in (device_of, Device):
        with pytest.raises(UsageError, match=rf"There is no such device; got {name}. Choose one of CPU:0"):
            find(name)


def test_an_unknown_kind_has_no_devices() -> None:
    with pytest.raises(UsageError, match=r"There is no such device; got NPU\. Choose one of CPU:0"):
        x10.devices("NPU")


def test_a_device_is_a_value() -> None:
    one, other = x10.devices()[:2]
    assert (str(one), repr(other), other.kind, other.ordinal) == ("CPU:0", "Device('CPU:1')", "CPU", 1)
    assert one == x10.Device("CPU:0") == x10.Device(one) == pickle.loads(pickle.dumps(one)) != other
    assert one != "CPU:0"
    assert {one, x10.Device(jax.devices()[0])} == {one}
    assert x10.devices("cpu") == x10.devices()


def test_it_equals_jaxs_own() -> None:
    """So what a tensor says of its device can be compared with it, whichever stands first."""
    device = x10.Device("CPU:1")
    assert device == jax.devices()[1] == device != jax.devices()[0]
    assert device.jax_device is jax.devices()[1]
    assert {jax.devices()[1]: 1}[device] == 1
    assert x10.tensor([1.0], device=device).device == device


def test_a_device_is_one_device() -> None:
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:2]), ("x",)), PartitionSpec("x"))
    with pytest.raises(UsageError, match=r"^A Device is one device; got NamedSharding"):
        x10.Device(sharding)


@pytest.mark.parametrize("what", [5, object, ["CPU:0"]])
def test_what_is_no_device_is_refused(what: Any) -> None:
    with pytest.raises(UsageError, match=r"^A device is a jax\.Device, a jax\.sharding\.Sharding or a name; got "):
        device_of(what)


def test_a_partition_spec_is_one_of_the_mesh_that_is_set() -> None:
    spec, mesh = PartitionSpec("x"), Mesh(np.array(jax.devices()[:2]), ("x",))
    with pytest.raises(UsageError, match=r"and none is; got P\('x',?\)\. Enter jax\.set_mesh\(mesh\)\.$"):
        device_of(spec)
    with jax.set_mesh(mesh):
        assert device_of(spec) == NamedSharding(mesh, spec)


def test_a_mesh_without_devices_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^An abstract mesh has no devices to put data on; got P\('x',?\) over {'x': 16}\. Make the mesh of devices"):
        device_of(NamedSharding(AbstractMesh((16,), ("x",)), PartitionSpec("x")))


def test_the_devices_of_several_things() -> None:
    one, two = jax.devices()[:2]
    sharding = NamedSharding(Mesh(np.array([one, two]), ("x",)), PartitionSpec("x"))
    assert devices_among(()) == devices_among((None,)) == frozenset()
    assert devices_among(("CPU:1", x10.Device(two), two)) == {two}
    assert devices_among((sharding,)) == devices_among((None, "", cast(Any, jnp.ones(2)).format, "CPU:1")) == {one, two}
    with pytest.raises(UsageError, match="There is no such device; got CPU:99"):
        devices_among((one, "CPU:99"))
