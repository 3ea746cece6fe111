import os
import platform

import jax

from x10_jupyter.session.environment import environment


def test_tells_what_it_runs_on() -> None:
    found = environment()
    assert (found.python, found.jax) == (platform.python_version(), jax.__version__)
    assert (found.platform, found.device_count) == (jax.default_backend(), jax.device_count())
    assert 1 <= found.cpu_count <= (os.cpu_count() or 1)
