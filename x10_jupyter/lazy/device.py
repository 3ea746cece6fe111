"""Devices by name, as X10 has them: ``CPU:0``, ``GPU:1``, ``:1`` of the default kind."""

from collections.abc import Iterable
from typing import Any

import jax
from jax.experimental.layout import Format
from jax.sharding import NamedSharding, PartitionSpec, Sharding

from x10_jupyter.base.errors import UsageError
from x10_jupyter.jax_gate.device_mesh import device_mesh
from x10_jupyter.lazy.context import DEVICE


class Device:
    """One device. Equal to another of the same device, and to JAX's own object for it; ``str`` gives its name, ``CPU:0``.

    It is taken wherever this package takes a device. JAX's own functions want ``.jax_device``.
    """

    __slots__ = ("jax_device",)

    jax_device: Any
    """The ``jax.Device``."""

    def __init__(self, device: Any = "") -> None:
        """Find a device.

        Args:
            device: Its name: ``"CPU:0"``, ``"CPU"`` for the first of a kind, ``":1"`` for one of the default kind, ``""`` for the default; or a
                ``jax.Device``, or a ``Device``.

        Raises:
            UsageError: There is no such device.
        """
        found = device_of("" if device is None else device)
        if not isinstance(found, jax.Device):
            raise UsageError("A Device is one device", got=device, fix='Write, say, x10.Device("CPU:0"); a sharding is given as `device=` itself.')
        self.jax_device = found

    @property
    def kind(self) -> str:
        """``CPU``, ``GPU`` or ``TPU``."""
        return self.jax_device.platform.upper()

    @property
    def ordinal(self) -> int:
        """Its number among those of its kind, from 0."""
        return self.jax_device.id

    def __str__(self) -> str:
        return f"{self.kind}:{self.ordinal}"

    def __repr__(self) -> str:
        return f"Device({str(self)!r})"

    def __hash__(self) -> int:
        return hash(self.jax_device)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self.jax_device == other.jax_device
        return self.jax_device == other if isinstance(other, jax.Device) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        return Device, (str(self),)


def devices(kind: str = "") -> list[Device]:
    """The devices there are.

    Args:
        kind: ``"CPU"``, ``"GPU"`` or ``"TPU"``; the default kind when empty, which is that of the accelerators if there are some.

    Raises:
        UsageError: There is none of this kind.
    """
    try:
        return [Device(each) for each in jax.devices(kind.lower() or None)]
    except RuntimeError as error:
        raise unknown(kind) from error


def device_of(device: Any) -> Any:
    """What JAX calls a device, or a way to spread data over several.

    Args:
        device: A name, a ``Device``; or what JAX has for it: a device, a sharding, a format, a ``PartitionSpec`` under ``jax.set_mesh``, None for the default.

    Raises:
        UsageError: There is no device of this name, it is none at all, or it is a part of a mesh that has no devices.
    """
    if isinstance(device, Device):
        return device.jax_device
    if isinstance(device, str):
        return device_called(device)
    if isinstance(device, PartitionSpec):
        mesh = device_mesh()
        if mesh is None:
            raise UsageError("A PartitionSpec says how to spread data over the mesh that is set, and none is", got=device, fix="Enter jax.set_mesh(mesh).")
        return NamedSharding(mesh, device)
    sharding = device.sharding if isinstance(device, Format) else device
    if isinstance(sharding, NamedSharding) and isinstance(sharding.mesh, jax.sharding.AbstractMesh):
        fix = "Make the mesh of devices: jax.make_mesh(shape, names)."
        raise UsageError("An abstract mesh has no devices to put data on", got=f"{sharding.spec} over {dict(sharding.mesh.shape)}", fix=fix)
    if sharding is None or isinstance(sharding, (jax.Device, Sharding)):
        return device
    raise UsageError("A device is a jax.Device, a jax.sharding.Sharding or a name", got=device, fix='Write, say, "CPU:0".')


def devices_among(given: Iterable[Any]) -> frozenset[Any]:
    """JAX's devices among devices, their names and shardings; None stands for no device.

    Raises:
        UsageError: There is no such device.
    """
    found: set[Any] = set()
    for each in map(device_of, given):
        sharding = each.sharding if isinstance(each, Format) else each
        found |= sharding.device_set if isinstance(sharding, Sharding) else set() if each is None else {each}
    return frozenset(found)


def device_called(name: str) -> Any:
    """JAX's device of this name."""
    kind, _, ordinal = name.partition(":")
    try:
        if not ordinal:
            return default_device(kind.lower())
        return next(each for each in jax.devices(kind.lower() or None) if each.id == int(ordinal))
    except (RuntimeError, ValueError, StopIteration) as error:
        raise unknown(name) from error


def default_device(kind: str = "") -> Any:
    """JAX's default device; with a kind the first of its devices."""
    chosen = getattr(jax.config, DEVICE)
    if not kind and isinstance(chosen, jax.Device):
        return chosen
    return jax.local_devices(backend=kind or chosen)[0]


def unknown(name: str) -> UsageError:
    """The error for a device that is not there."""
    known = ", ".join([str(Device(each)) for each in jax.devices()])
    return UsageError("There is no such device", got=name, fix=f"Choose one of {known}.")
