from typing import Any

import jax

from x10_jupyter.observe.devices import Devices, arrays_on, called, program_bytes
from x10_jupyter.observe.heap_profile import Allocated
from x10_jupyter.observe.utilisation import NONE
from x10_jupyter.records.holding import Device

ALLOCATED = [
    Allocated("buffer", "cuda:0", 2, 100, b""),
    Allocated("buffer", "cuda:0", 1, 20, b""),
    Allocated("buffer", "cuda:1", 1, 5, b""),
    Allocated("executable", "", 3, 7_000, b""),
    Allocated("something new", "cuda:1", 1, 1, b""),
]


class Gpu:
    """A device as JAX has them."""

    platform = "gpu"

    def __init__(self, number: int, stats: dict[str, int] | None) -> None:
        self.id, self.stats = number, stats

    def __str__(self) -> str:
        return f"cuda:{self.id}"

    def memory_stats(self) -> dict[str, int] | None:
        return self.stats


class Percents:
    reason = ""

    def percents(self, _devices: Any) -> dict[str, int]:
        return {"GPU:1": 63}


def devices(*found: Any) -> Devices:
    made = Devices(Percents())  # pyright: ignore[reportArgumentType] # all that is asked of it
    made.all = found
    return made


def test_arrays_and_programs_stand_apart() -> None:
    assert arrays_on(ALLOCATED) == {"cuda:0": (3, 120), "cuda:1": (1, 5)}
    assert program_bytes(ALLOCATED) == 7_000


def test_a_device_tells_of_its_arrays_its_allocator_and_its_work() -> None:
    made = devices(Gpu(0, {"bytes_in_use": 500, "peak_bytes_in_use": 900, "bytes_limit": 1_000}), Gpu(1, None), Gpu(2, None))
    first, second = made.told(arrays_on(ALLOCATED))
    assert first == Device(name="GPU:0", arrays=3, array_bytes=120, allocated_bytes=500, peak_bytes=900, limit_bytes=1_000)
    assert second == Device(name="GPU:1", arrays=1, array_bytes=5, busy_percent=63)
    assert made.names == {"cuda:0": "GPU:0", "cuda:1": "GPU:1", "cuda:2": "GPU:2"}


def test_a_cpu_tells_of_its_arrays_alone() -> None:
    made = Devices()
    assert made.told({}) == ()
    (told,) = made.told({"cpu:0": (1, 4)})
    assert told == Device(name=called(jax.devices()[0]), arrays=1, array_bytes=4)
    assert made.utilisation.reason == NONE
