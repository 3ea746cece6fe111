import os
import platform
import subprocess
import sys

import jax
import numpy

from x10_jupyter.lazy.core import IS_COMPILED
from x10_jupyter.session.environment import environment, version_of


def test_names_devices_packages_and_memory() -> None:
    jax.devices()
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
    jax.devices()
    found = environment()
    assert (found.python, found.jax) == (platform.python_version(), jax.__version__)
    assert (found.platform, found.device_count) == (jax.default_backend(), jax.device_count())
    assert 1 <= found.cpu_count <= (os.cpu_count() or 1)
    assert found.compiled_recording is IS_COMPILED


CODE = """
import jax
from IPython.core.interactiveshell import InteractiveShell
from jax._src import xla_bridge

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "x10_jupyter")
shell.run_cell("%%x10trace --out made\\nimport jax\\n2 + 2")
assert shell.user_ns["made"].environment.device_count == 0
assert not xla_bridge.backends_are_initialized()
jax.config.update("jax_platforms", "cpu")  # as jax.distributed.initialize() does, and much else that goes before
shell.run_cell("%%x10trace --out made\\njax.numpy.ones(3)")
assert shell.user_ns["made"].environment.platform == "cpu"
"""


def test_jax_is_not_made_to_choose_a_platform() -> None:
    told = subprocess.run([sys.executable, "-c", CODE], check=True, timeout=300, capture_output=True, text=True).stdout
    assert "no device of JAX's in use with" in told or "nothing compiled" in told
