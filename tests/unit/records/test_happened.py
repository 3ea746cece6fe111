"""What every event has."""

from dataclasses import FrozenInstanceError
from typing import Any, cast

import pytest

from x10_jupyter.records.happened import Happened


def test_it_never_changes() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'end_ns'"):
        cast(Any, Happened(start_ns=0, end_ns=1, thread=1, site=None)).end_ns = 3
