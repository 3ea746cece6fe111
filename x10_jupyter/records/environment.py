"""What a capture was made on."""

from dataclasses import dataclass


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
    """JAX's name for the back end: ``cpu``, ``gpu``, ``tpu``."""

    device_kind: str
    """The device's own name, e.g. ``NVIDIA H200``."""

    device_count: int
    """Devices that JAX sees."""

    cpu_count: int
    """CPU cores that this process may use."""
