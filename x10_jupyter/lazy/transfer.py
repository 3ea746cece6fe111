"""Moves data between devices: never by itself, only where the user asks for it, and with its gradient."""

from collections.abc import Sequence
from math import prod
from typing import Any

import jax
from jax.sharding import NamedSharding, SingleDeviceSharding

from x10_jupyter.base.errors import UsageError, gist
from x10_jupyter.lazy.autodiff import LEVELS, Entry
from x10_jupyter.lazy.avals import aval_of_array
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL, holding, tensor_of
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.lazy.read import computed
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import Transferred


def moved(t: Value, where: Any, how: str) -> Value:
    """A tensor of the same values on other devices; itself if it is there and bound to them. It is computed first if it is pending.

    Args:
        t: The tensor.
        where: A device or a sharding of JAX's.
        how: What asks for it, in the user's words.

    Raises:
        UsageError: The sharding does not suit the shape.
        LostValueError: The tensor could not be computed.
    """
    trace = LOCAL.trace
    tape = trace.tape
    if tape is not None:
        tape.write(trace)
    held = computed(trace, t, "device", how)
    if is_there(held, where):
        return t
    start_ns = CLOCK.now_ns()
    array = put(held, where)
    if held.sharding.device_set.isdisjoint(array.sharding.device_set):
        made = holding(array, t.aval.dtype)
    else:  # they may share a buffer
        VISIBLE.add(held)
        made = tensor_of(array, t.aval.dtype)
    if EVENTS:
        EVENTS.emit(Transferred(direction="between_devices", aval=repr(t.aval), size_bytes=t.aval.size_bytes, **happened(user_line(), start_ns)))
    levels = tape.levels(t) if tape is not None and t.node else 0
    if tape is not None and levels:
        back, origin = held.sharding, t.node >> LEVELS

        def backward(cotangents: Sequence[Value]) -> list[Value]:
            return [moved(cotangents[0], back, how)]

        made.node = tape.node(levels)
        for level in [1 << i for i in range(levels.bit_length()) if levels >> i & 1]:
            tape.entries.append(Entry(level, backward, [origin], [], [made.node >> LEVELS], [made.aval]))
    return made


def is_there(array: jax.Array, where: Any) -> bool:
    """Whether an array is bound to these devices, and spread over them in this way."""
    sharding = SingleDeviceSharding(where) if isinstance(where, jax.Device) else where
    return array.committed and isinstance(sharding, jax.sharding.Sharding) and sharding.is_equivalent_to(array.sharding, array.ndim)


def put(data: Any, where: Any) -> jax.Array:
    """Data on a device, or spread over several.

    Args:
        data: An array of NumPy's or JAX's.
        where: A device, a sharding or a format of JAX's.

    Raises:
        UsageError: The sharding does not suit the shape.
    """
    if isinstance(where, NamedSharding):
        check_divides(where, data)
    try:
        return jax.device_put(data, where)
    except (ValueError, TypeError) as error:
        raise UsageError(f"The data cannot be put there ({gist(error)})", got=f"{aval_of_array(data)!r} and {where}") from error


def check_divides(sharding: NamedSharding, data: Any) -> None:
    """Raise if a sharding does not divide a shape.

    Raises:
        UsageError: A dimension is not a multiple of the devices it is to be spread over, or there are fewer dimensions than the sharding names.
    """
    spec, sizes, aval = sharding.spec, dict(sharding.mesh.shape), aval_of_array(data)
    if len(spec) > len(aval.shape):
        fix = f"Leave {len(spec) - len(aval.shape)} out of the spec."
        raise UsageError(f"A sharding names no more dimensions than there are, {len(aval.shape)} here", got=f"{spec} for {aval!r}", fix=fix)
    for i, names in enumerate(spec):
        axes = [name for name in (names if isinstance(names, tuple) else (names,)) if name in sizes]
        count = prod(sizes[name] for name in axes)
        length = aval.shape[i]
        if length % count:
            over = " and ".join(f"{name!r} of size {sizes[name]}" for name in axes)
            raise UsageError(
                "A sharding divides a dimension into equal parts",
                got=f"dimension {i} of {aval!r}, {length}, over mesh axis {over}",
                fix=f"Pad it to {-(-length // count) * count}, cut it to {length // count * count}, or leave it whole with None in the spec.",
            )
