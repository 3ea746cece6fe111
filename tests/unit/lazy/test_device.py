"""Devices by name."""

import jax
import pytest

from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.device import device_of


@pytest.mark.parametrize("name", ["CPU:0", "cpu:0", "CPU", ":0", ""])
def test_a_name_is_kind_and_ordinal_with_defaults(name: str) -> None:
    assert device_of(name) is jax.devices("cpu")[0]


def test_what_jax_knows_is_itself() -> None:
    device = jax.devices()[0]
    assert device_of(device) is device
    assert device_of(None) is None


@pytest.mark.parametrize("name", ["CPU:99", "CPU:-1", "CPU:x", "NPU:0"])
def test_an_unknown_device_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match=rf"There is no such device; got {name}. Choose one of CPU:0"):
        device_of(name)
