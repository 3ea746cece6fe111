"""What a capture was made on."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The software and hardware that a time depends on."""

    python: str
    """Version of Python, e.g. ``3.11.7``."""

    jax: str
    """Version of JAX."""

    jaxlib: str
    """Version of jaxlib, which carries XLA."""

    platform: str
    """JAX's name for the back end: ``cpu``, ``gpu``, ``tpu``; empty if it had chosen none."""

    device_kind: str
    """The device's own name, e.g. ``NVIDIA H200``; empty if JAX had none."""

    device_count: int
    """Devices that JAX sees; 0 if it had not looked for them."""

    cpu_count: int
    """CPU cores that this process may use."""

    devices: tuple[str, ...] = ()
    """The devices by name, e.g. ``CPU:0``, in JAX's order."""

    packages: tuple[tuple[str, str], ...] = ()
    """Name and version of what else has a part in a time or a picture, as far as it is in use, in order of names."""

    host_memory_bytes: int | None = None
    """The machine's memory, or None if it does not tell."""

    device_memory_bytes: int | None = None
    """What one device lets programs use, or None if it does not tell, as a CPU does not."""

    device_memory_by: Literal["allocator", "live_buffers"] = "live_buffers"
    """How device bytes are measured: as the device's allocator counts them, or, where it tells nothing, as the sum of the buffers that are alive."""

    compiled_recording: bool | None = None
    """Whether the lazy runtime recorded operations by compiled code, and not in Python, which takes twice as long; None in captures from before."""
