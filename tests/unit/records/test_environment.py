"""What a capture was made on."""

from dataclasses import FrozenInstanceError, asdict
from typing import Any, cast

import pytest

from factories import ENVIRONMENT
from x10_jupyter.records.environment import Environment


def test_it_can_be_written_down_and_read_again() -> None:
    assert Environment(**asdict(ENVIRONMENT)) == ENVIRONMENT


def test_it_never_changes() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'jax'"):
        cast(Any, ENVIRONMENT).jax = "1"
