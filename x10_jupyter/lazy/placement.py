"""Where device data lies, as far as a program depends on it."""

from collections.abc import Hashable
from functools import cache
from typing import Any

import jax

from x10_jupyter.base.errors import OperandError


class DevicesDifferError(OperandError):
    """Data on one device was met among data on another."""


@cache
def default_place() -> Hashable:
    """The sharding of data that nobody has put anywhere."""
    return jax.sharding.SingleDeviceSharding(jax.local_devices()[0])


def place_of(array: Any) -> Hashable:
    """The sharding of data that was put somewhere else than where it would be anyway; None for all other.

    Data on the default device may be bound to it or not: a program takes either.
    """
    if not getattr(array, "committed", False):
        return None
    sharding = array.sharding
    return None if sharding == default_place() else sharding


def checked_devices(known: frozenset[Any] | None, array: Any) -> frozenset[Any] | None:
    """The devices that a trace's data is bound to, with one more array.

    Args:
        known: Those so far; None while nothing is bound.
        array: The array.

    Raises:
        DevicesDifferError: It is bound to other devices.
    """
    if not getattr(array, "committed", False):
        return known
    devices = frozenset(array.sharding.device_set)
    if known is not None and known != devices:
        old, new = [device_text(each) for each in (known, devices)]
        fix = f"Move one of them: x10.tensor(t, device={old.split(', ')[0]!r})."
        raise DevicesDifferError(f"All tensors must be on the same device, got {old} != {new} instead", fix=fix)
    return devices


def device_text(devices: frozenset[Any]) -> str:
    """Devices in X10's words: ``CPU:0``."""
    return ", ".join(sorted(f"{d.platform.upper()}:{d.id}" for d in devices))


def place_text(place: Any) -> str:
    """A place in the user's words: ``CPU:1``, or how data is spread over several devices."""
    sharding: Any = default_place() if place is None else place
    text = device_text(frozenset(sharding.device_set))
    return text if len(sharding.device_set) == 1 else f"{getattr(sharding, 'spec', sharding)} over {text}"
