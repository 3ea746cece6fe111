"""Reads off what this process runs on."""

import os
import platform
from functools import cache
from importlib.metadata import version

import jax

from x10_jupyter.records.environment import Environment


@cache
def environment() -> Environment:
    """What this process runs on. The first call makes JAX look for its devices, so it belongs after the captured code."""
    devices = jax.devices()
    return Environment(
        python=platform.python_version(),
        jax=jax.__version__,
        jaxlib=version("jaxlib"),
        platform=devices[0].platform,
        device_kind=devices[0].device_kind,
        device_count=len(devices),
        cpu_count=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
    )
