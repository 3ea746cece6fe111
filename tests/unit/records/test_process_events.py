"""Events of any code."""

from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from factories import collected, read, sized


def test_an_event_never_changes() -> None:
    for event in (read(0, 1), collected(0, 1), sized(0)):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'thread'"):
            cast(Any, event).thread = 3


def test_a_read_is_of_a_lazy_tensor_unless_it_is_said_to_be_of_jax() -> None:
    assert not read(0, 1).is_jax
    assert read(0, 1).ready_ns is None
