"""What the devices of the default back end say of themselves."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import jax

from x10_jupyter.observe.heap_profile import Allocated
from x10_jupyter.observe.utilisation import Utilisation
from x10_jupyter.records.holding import Device

ARRAYS, PROGRAMS = "buffer", "executable"
"""What JAX calls them in a profile of the memory."""

Amounts = Mapping[str, tuple[int, int]]
"""How many arrays there are on a device, by JAX's name of it, and how many bytes."""


class Devices:
    """Tells what there is to be told of each."""

    def __init__(self, utilisation: Utilisation | None = None) -> None:
        """Ask nothing yet.

        Args:
            utilisation: Tells how busy devices are.
        """
        self.utilisation = utilisation or Utilisation()

    @cached_property
    def all(self) -> tuple[Any, ...]:
        """Those of this process. Only to be asked for when JAX has looked for them."""
        return tuple(jax.local_devices())

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Our name of each, ``GPU:0``, by JAX's in a profile, ``cuda:0``."""
        return {str(device): called(device) for device in self.all}

    def told(self, arrays: Amounts) -> tuple[Device, ...]:
        """Each that holds something or tells of itself, at this moment.

        Args:
            arrays: What is on each.
        """
        percents = self.utilisation.percents(self.all)
        found = [self._told(device, arrays.get(str(device), (0, 0)), percents.get(called(device))) for device in self.all]
        return tuple(one for one in found if one.arrays or one.allocated_bytes is not None or one.busy_percent is not None)

    def _told(self, device: Any, arrays: tuple[int, int], percent: int | None) -> Device:  # noqa: ANN401 - JAX's
        stats: Mapping[str, int] = device.memory_stats() or {}
        return Device(
            name=called(device),
            arrays=arrays[0],
            array_bytes=arrays[1],
            allocated_bytes=stats.get("bytes_in_use"),
            peak_bytes=stats.get("peak_bytes_in_use"),
            limit_bytes=stats.get("bytes_limit"),
            busy_percent=percent,
        )


def called(device: Any) -> str:  # noqa: ANN401 - JAX's
    """Our name of a device."""
    return f"{device.platform.upper()}:{device.id}"


def arrays_on(allocated: Iterable[Allocated]) -> Amounts:
    """What a profile says of each device."""
    counts, sizes = Counter[str](), Counter[str]()
    for one in allocated:
        if one.kind == ARRAYS:
            counts[one.device] += one.number
            sizes[one.device] += one.size_bytes
    return {name: (counts[name], sizes[name]) for name in counts}


def program_bytes(allocated: Iterable[Allocated]) -> int:
    """The size of all programs; 0 where it is not told."""
    return sum(one.size_bytes for one in allocated if one.kind == PROGRAMS)
