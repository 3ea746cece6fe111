"""All kinds of events."""

from dataclasses import fields
from typing import get_args

import pytest

from x10_jupyter.records import process_events, runtime_events
from x10_jupyter.records.events import Event
from x10_jupyter.records.happened import Happened


def test_every_kind_is_an_event() -> None:
    made = [*vars(runtime_events).values(), *vars(process_events).values()]
    assert set(get_args(Event)) == {each for each in made if isinstance(each, type) and issubclass(each, Happened) and each is not Happened}


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda k: k.__name__)
def test_each_has_time_thread_and_line_and_is_told_of(kind: type) -> None:
    assert [f.name for f in fields(kind)][:4] == ["start_ns", "end_ns", "thread", "site"]
    assert kind.__doc__
    assert kind.__slots__ is not None
    assert not hasattr(kind, "__dict__") or "__dict__" not in kind.__slots__
