"""Events of the lazy runtime."""

from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from factories import traced


def test_an_event_never_changes() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'ops'"):
        cast(Any, traced(0, 1)).ops = 3
