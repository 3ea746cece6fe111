"""Old objects are looked at seldom, but nothing stays for good."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from x10_jupyter.lazy import collector
from x10_jupyter.lazy.collector import COLLECTOR, FEW, Collector


@pytest.fixture
def alone() -> Iterator[None]:
    """The process's own is out of the way."""
    was_on = COLLECTOR.is_on
    COLLECTOR.switch(False)
    gc.collect()
    assert gc.get_freeze_count() < FEW
    yield
    COLLECTOR.switch(was_on)


@pytest.fixture
def made(alone: None) -> Iterator[Collector]:
    one = Collector()
    one.switch(True)
    yield one
    one.switch(False)
    assert one.hear not in gc.callbacks
    assert gc.get_freeze_count() < FEW


class Node:
    """Something in a cycle with itself."""

    def __init__(self) -> None:
        self.me = self


def full_pass() -> None:
    """As Python does one by itself: nothing here calls the function by its name."""
    getattr(gc, "col" + "lect")()


def test_what_is_left_is_set_aside_and_what_is_made_is_collected(made: Collector) -> None:
    full_pass()
    assert gc.get_freeze_count() > 10_000
    young = weakref.ref(Node())
    full_pass()
    assert young() is None
    assert gc.get_freeze_count() > 10_000


def test_an_old_cycle_is_collected_when_the_user_collects(alone: None) -> None:
    node = Node()
    old, one = weakref.ref(node), Collector()
    one.switch(True)
    full_pass()
    try:
        del node
        full_pass()
        assert old() is not None
        gc.collect()
        assert old() is None
        assert any(isinstance(o, type) for o in gc.get_objects())  # who has collected sees all there is
        full_pass()
        assert gc.get_freeze_count() > 10_000
    finally:
        one.switch(False)


def test_an_old_cycle_is_collected_after_some_passes(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "EVERY", 3)
    node = Node()
    old, one = weakref.ref(node), Collector()
    one.switch(True)
    full_pass()
    try:
        del node
        seen: list[Any] = []
        for _ in range(4):
            full_pass()
            seen.append((old() is not None, gc.get_freeze_count() > 0))
        assert seen == [(True, True), (True, True), (False, True), (False, True)]
    finally:
        one.switch(False)


def test_who_has_frozen_objects_before_is_left_alone(alone: None) -> None:
    gc.freeze()
    one = Collector()
    try:
        one.switch(True)
        assert not one.is_on
        assert one.hear not in gc.callbacks
        one.switch(False)
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_twice_is_once(made: Collector) -> None:
    made.switch(True)
    assert gc.callbacks.count(made.hear) == 1
    made.switch(False)
    made.switch(False)
    assert gc.get_freeze_count() < FEW
