import os
import platform

import jax
import numpy

from x10_jupyter.session.environment import environment, version_of


def test_names_devices_packages_and_memory() -> None:
    found = environment()
    assert found.devices == tuple(f"CPU:{number}" for number in range(jax.device_count()))
    assert dict(found.packages)["numpy"] == numpy.__version__
    assert list(found.packages) == sorted(found.packages, key=lambda pair: pair[0].lower())
    assert found.host_memory_bytes is not None
    assert found.host_memory_bytes > 2**28
    assert (found.device_memory_bytes, found.device_memory_by) == (None, "live_buffers")  # a CPU does not tell


def test_what_has_no_version_is_left_out() -> None:
    assert version_of("no_such_package_at_all") == ""


def test_tells_what_it_runs_on() -> None:
    found = environment()
    assert (found.python, found.jax) == (platform.python_version(), jax.__version__)
    assert (found.platform, found.device_count) == (jax.default_backend(), jax.device_count())
    assert 1 <= found.cpu_count <= (os.cpu_count() or 1)
