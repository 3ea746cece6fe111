"""Reads off what this process runs on."""

import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import jax

from x10_jupyter.base.config import config
from x10_jupyter.jax_gate.back_end import has_back_end
from x10_jupyter.records.environment import Environment

PACKAGES = (
    "equinox",
    "flax",
    "grain",
    "haiku",
    "ipykernel",
    "IPython",
    "jax_cuda12_plugin",
    "jax_cuda13_plugin",
    "libtpu",
    "numpy",
    "optax",
    "tensorflow",
    "torch",
)
"""Modules whose version tells something to whoever compares two times."""


@cache
def devices() -> tuple[Any, ...]:
    """JAX's devices."""
    return tuple(jax.devices())


def environment() -> Environment:
    """What this process runs on. JAX is not made to look for devices: until it has, the user may still say which, or join other processes."""
    found = devices() if has_back_end() else ()
    memory = (found[0].memory_stats() or {}) if found else {}
    return Environment(
        python=platform.python_version(),
        jax=jax.__version__,
        jaxlib=version("jaxlib"),
        platform=found[0].platform if found else "",
        device_kind=found[0].device_kind if found else "",
        device_count=len(found),
        cpu_count=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        devices=tuple(f"{device.platform.upper()}:{device.id}" for device in found),
        packages=tuple((name, number) for name in PACKAGES if name in sys.modules and (number := version_of(name))),
        host_memory_bytes=host_memory_bytes(),
        device_memory_bytes=memory.get("bytes_limit"),
        device_memory_by="allocator" if memory else "live_buffers",
        compiled_recording=config.now.compiled_recording,
    )


@cache
def version_of(name: str) -> str:
    """The version of a package; empty if it has none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def host_memory_bytes() -> int | None:
    """The machine's memory, or None if it does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
