"""The composition root knows the runtime and its clock."""

from pathlib import Path

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy import producer
from x10_jupyter.records.process_events import Held, Sampled
from x10_jupyter.records.runtime_events import Counted, Traced
from x10_jupyter.session.resident import HISTORY
from x10_jupyter.session.root import (
    COLLECTING,
    DISPATCHING,
    PRODUCERS,
    PROFILING,
    READING,
    SAMPLING,
    SIZING,
    STAGING,
    STARTING,
    WEIGHING,
    capture,
    connect,
    disconnect,
    settle,
)


def test_the_runtime_jax_and_the_collector_are_producers() -> None:
    memory, runtime, *others = PRODUCERS
    assert memory.events is WEIGHING.events, "first, since what it does when a capture begins belongs to none"
    assert (runtime.events, runtime.drain, runtime.settle) == (producer.EVENTS, producer.drain, settle)
    assert [one.events for one in others] == [
        STAGING.events,
        SIZING.events,
        READING.events,
        SAMPLING.events,
        DISPATCHING.events,
        STARTING.events,
        COLLECTING.events,
        PROFILING.events,
    ]


@pytest.mark.parametrize(("name", "expected"), [("epoch", "epoch"), (None, "")])
def test_a_capture_has_its_name_and_hears_the_runtime(name: str | None, expected: str) -> None:
    with capture(name) as capturing:
        assert float(x10.tensor(np.ones(2, np.float32)).sum()) == 2
    made = capturing.capture
    assert made.name == expected
    assert any(isinstance(e, Traced) for e in made.events)
    assert sum(made.time.values()) == made.wall_ns
    inside = [e for e in made.events if not isinstance(e, Sampled | Held | Counted)]  # which are looked at before and after the window, too
    assert all(made.start_ns <= e.start_ns <= made.end_ns for e in inside), "one clock for both"


def test_a_capture_has_graphs_if_it_is_asked_for_them() -> None:
    with capture(graphs=True) as capturing:
        float(x10.tensor(np.ones(2, np.float32)).sum())
    (graph,) = capturing.capture.graphs
    assert [node.op for node in graph.nodes] == ["xla::device_data", "x10::sum"]
    assert graph.level == "trace"


def test_who_disconnects_finds_no_log_written_any_more(tmp_path: Path) -> None:
    log, metrics = tmp_path / "trace.log", tmp_path / "metrics.txt"

    def step() -> tuple[int, int]:
        kept = x10.tensor(np.ones(2, np.float32)) * 2.0
        x10.barrier()
        del kept
        return log.stat().st_size, metrics.stat().st_size

    with x10.config(XLA_SAVE_TENSORS_FILE=log, XLA_METRICS_FILE=metrics):
        before = step()
        disconnect()
        assert not STAGING.is_heard
        try:
            assert step() == before
        finally:
            connect()
        assert STAGING.is_heard
        after = step()
        STAGING.events.remove(HISTORY)
        STAGING.leave()
    assert all(a > b for a, b in zip(after, before, strict=True))
