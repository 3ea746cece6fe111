"""What the measurements were taken on, in words."""

import os
import platform
from pathlib import Path

import jax

from x10_jupyter.lazy.core import IS_COMPILED


def description() -> str:
    """Processor, cores, memory, versions and how busy the machine is."""
    info = Path("/proc/cpuinfo")
    models = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    return (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}; Python {platform.python_version()}, "
        f"jax {jax.__version__}, {jax.default_backend()}, the runtime {'compiled' if IS_COMPILED else 'in Python'}; load {load:.1f} at the start."
    )
