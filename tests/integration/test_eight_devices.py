"""Eight devices: every check of `eight_devices.py`, all in one process that has them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import eight_devices

TESTS = Path(eight_devices.__file__).parent


@pytest.fixture(scope="module")
def became() -> dict[str, str | None]:
    """What became of each check: nothing, or its traceback."""
    run = subprocess.run([sys.executable, "-m", "eight_devices"], cwd=TESTS, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", eight_devices.CHECKS)
def test_with_eight_devices(name: str, became: dict[str, str | None]) -> None:
    assert became[name] is None, became[name]
