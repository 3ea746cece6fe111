"""What is told of a large trace before it is compiled."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.runtime_events import Compiled
from x10_jupyter.records.sink import ListSink
from x10_jupyter.records.size import TOLD_RECORDED


@pytest.fixture
def sink() -> Iterator[ListSink]:
    told = ListSink()
    EVENTS.add(told)
    yield told
    EVENTS.remove(told)


def chain(length: int) -> None:
    x: Any = x10.tensor(np.ones(3, np.float32))
    for _ in range(length):
        x = x10.numpy.sinh(x)
    x10.barrier()
    del x


def told(sink: ListSink) -> list[Sized]:
    return [event for event in sink.events if isinstance(event, Sized)]


def test_a_large_trace_is_told_with_its_lines_before_it_is_compiled_and_once(sink: ListSink) -> None:
    chain(TOLD_RECORDED)
    chain(TOLD_RECORDED)
    (event,) = told(sink)
    assert (event.function, event.ops, event.baked) == ("chain", TOLD_RECORDED, ())
    assert [(line.site and line.site.line, line.ops, line.passes) for line in event.lines] == [
        (chain.__code__.co_firstlineno + 3, TOLD_RECORDED, TOLD_RECORDED)
    ]
    kinds = [type(each) for each in sink.events]
    assert kinds.index(Sized) < kinds.index(Compiled)
    (compiled,) = [each for each in sink.events if isinstance(each, Compiled)]
    assert compiled.start_ns <= event.start_ns <= compiled.end_ns
    assert compiled.function == event.function


def test_a_small_one_is_not(sink: ListSink) -> None:
    chain(TOLD_RECORDED - 2)
    assert told(sink) == []
