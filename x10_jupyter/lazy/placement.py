"""Where device data lies, as far as a program depends on it."""

from collections.abc import Hashable, Iterable
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.context import Context

Devices = tuple[Any, ...]
"""The devices that something is bound to, in the order in which a program takes them."""


class DevicesDifferError(OperandError):
    """Data on one device was met among data on another."""

    def __init__(self, known: Devices, other: Devices) -> None:
        """Say in X10's words which devices were to be mixed.

        Args:
            known: Where the other data is.
            other: Where this one is.
        """
        old = device_text(known)
        to = repr(old) if len(known) == len(other) == 1 else "jax.NamedSharding(mesh, spec)"
        fix = f"Move one of them: x10.tensor(t, device={to})."
        super().__init__(f"All tensors must be on the same device, got {old} != {device_text(other)} instead", fix=fix)


BOUND = "bound"
"""The place of data that somebody put on the very device where it would be anyway."""
NOWHERE: tuple[None, Hashable] = (None, None)
MOST = 256
"""Shardings remembered of one configuration; programs only use a few."""


def placed(array: Any, context: Context) -> tuple[Devices | None, Hashable]:
    """The devices that an array is bound to, and how it is spread over them.

    Args:
        array: The array.
        context: JAX's configuration, which says what the default device is.

    Returns:
        The devices, None if it is bound to none; and what a trace's path says of it: its sharding, ``BOUND`` if it is on the default device, or None if
        it is bound to none.
    """
    if not getattr(array, "committed", False):
        return NOWHERE
    sharding = array.sharding
    found = context.places.get(sharding)
    if found is None:
        if len(context.places) >= MOST:
            context.places.clear()
        place = plain(sharding)
        found = context.places[sharding] = (devices_of(sharding), BOUND if place == default_place(context) else place)
    return found


def default_place(context: Context) -> Hashable:
    """The sharding of data that nobody has put anywhere."""
    return SingleDeviceSharding(first_device(context))


def first_device(context: Context) -> Any:
    """The device of data that nobody has put anywhere."""
    device = context.default_device
    return device if isinstance(device, jax.Device) else jax.local_devices(backend=device)[0]


def plain(sharding: Any) -> Any:
    """The same sharding without dimensions at the end that are not spread: XLA gives it back with them, and a program takes either."""
    if not isinstance(sharding, NamedSharding):
        return sharding
    spec = sharding.spec
    parts = list(spec)
    while parts and parts[-1] is None:
        parts.pop()
    if len(parts) == len(spec):
        return sharding
    return NamedSharding(sharding.mesh, PartitionSpec(*parts, unreduced=spec.unreduced, reduced=spec.reduced), memory_kind=sharding.memory_kind)


def devices_of(sharding: Any) -> Devices:
    """The devices of a sharding in the order in which a program takes them."""
    mesh = getattr(sharding, "mesh", None)
    if mesh is not None:
        return tuple(mesh.devices.flat)
    return tuple(sorted(sharding.device_set, key=lambda d: d.id))


def explicit_mesh(places: Iterable[Hashable]) -> Mesh | None:
    """The mesh of places whose axes are part of types; None if there is none. A program that reads no data of it is told by it where to run."""
    return next((p.mesh for p in places if isinstance(p, NamedSharding) and isinstance(p.mesh, Mesh) and AxisType.Explicit in p.mesh.axis_types), None)


def device_text(devices: Devices) -> str:
    """Devices in X10's words: ``CPU:0``."""
    return ", ".join([f"{d.platform.upper()}:{d.id}" for d in devices])


def place_text(place: Any, context: Context) -> str:
    """A place in the user's words: ``CPU:1``, or how data is spread over several devices; what is committed to the default device, in JAX's word."""
    sharding: Any = default_place(context) if place is None or place is BOUND else place
    text = device_text(devices_of(sharding))
    if len(sharding.device_set) > 1:
        return f"{getattr(sharding, 'spec', sharding)} over {text}"
    return f"{text}, committed" if place is BOUND else text
