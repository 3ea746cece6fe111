"""Events are frozen facts, each with time, thread and line."""

from dataclasses import FrozenInstanceError, fields
from typing import Any, cast, get_args

import pytest

from factories import traced
from x10_jupyter.records import events
from x10_jupyter.records.events import Event, Happened


def test_every_kind_is_an_event() -> None:
    kinds = {each for each in vars(events).values() if isinstance(each, type) and issubclass(each, Happened) and each is not Happened}
    assert set(get_args(Event)) == kinds


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda k: k.__name__)
def test_each_has_time_thread_and_line_and_is_told_of(kind: type) -> None:
    assert [f.name for f in fields(kind)][:4] == ["start_ns", "end_ns", "thread", "site"]
    assert kind.__doc__
    assert kind.__slots__ is not None
    assert not hasattr(kind, "__dict__") or "__dict__" not in kind.__slots__


def test_an_event_never_changes() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'ops'"):
        cast(Any, traced(0, 1)).ops = 3
