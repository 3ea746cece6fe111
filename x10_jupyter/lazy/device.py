"""Devices by name, as X10 has them: ``CPU:0``, ``GPU:1``, ``:1`` of the default kind."""

from typing import Any

import jax

from x10_jupyter.base.errors import UsageError


def device_of(device: Any) -> Any:
    """What JAX calls a device; a device or sharding of JAX's, and None for the default, are themselves.

    Raises:
        UsageError: There is no device of this name, or it is none at all.
    """
    if device is None or isinstance(device, (jax.Device, jax.sharding.Sharding)):
        return device
    if not isinstance(device, str):
        raise UsageError("A device is a jax.Device, a jax.sharding.Sharding or a name", got=device, fix='Write, say, "CPU:0".')
    kind, _, ordinal = device.partition(":")
    try:
        return jax.devices(kind.lower() or None)[int(ordinal) if ordinal.isdecimal() else {"": 0}[ordinal]]
    except (RuntimeError, IndexError, KeyError) as error:
        known = ", ".join(f"{d.platform.upper()}:{d.id}" for d in jax.devices())
        raise UsageError("There is no such device", got=device, fix=f"Choose one of {known}.") from error
