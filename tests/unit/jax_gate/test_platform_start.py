import subprocess
import sys

import jax

from x10_jupyter.jax_gate.platform_start import PlatformStart

IMPORTS = "import jax\nimport jax._src.xla_bridge as bridge\nfrom x10_jupyter.jax_gate.platform_start import PlatformStart\n"


def run(code: str) -> None:
    """In a process in which JAX has no platform."""
    subprocess.run([sys.executable, "-c", IMPORTS + code], check=True, timeout=120)


def test_the_first_use_of_a_device_is_told_and_leaves_jax_as_it_was() -> None:
    run(
        """
original, told = bridge.backends, []
start = PlatformStart(lambda: told.append("begun") or 7, told.append)
start.put()
assert bridge.backends is not original
jax.devices()
assert told == ["begun", 7]
assert bridge.backends is original
"""
    )


def test_a_platform_that_is_not_there_fails_as_without_it_and_is_told_the_next_time() -> None:
    run(
        """
told = []
start = PlatformStart(lambda: 7, told.append)
start.put()
jax.config.update("jax_platforms", "nonsense")
try:
    jax.devices()
except RuntimeError as error:
    assert "nonsense" in str(error)
else:
    raise AssertionError
jax.config.update("jax_platforms", "cpu")
jax.devices()
assert told == [7, 7]
"""
    )


def test_it_can_be_undone() -> None:
    run(
        """
original = bridge.backends
start = PlatformStart(lambda: 7, print)
start.put()
start.undo()
start.undo()
assert bridge.backends is original
"""
    )


def test_where_there_is_a_platform_nothing_is_told() -> None:
    jax.devices()
    told: list[int] = []
    start = PlatformStart(lambda: 7, told.append)
    start.put()
    jax.devices()
    start.undo()
    assert told == []
