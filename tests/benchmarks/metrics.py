"""Counters and metrics: what a sample, a report and the events of a step cost, and what a step costs more for being counted."""

from collections.abc import Callable, Iterator, Mapping
from statistics import median
from threading import get_ident
from types import MappingProxyType
from typing import Any

import x10_jupyter as x10
from tests.benchmarks.loops import Lazy
from tests.benchmarks.models import MODELS
from tests.benchmarks.steps import stepped
from tests.benchmarks.timing import seconds
from x10_jupyter.lazy.census import Census
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.metrics.facts import report_of
from x10_jupyter.metrics.instruments import Metric, Snapshot
from x10_jupyter.metrics.registry import Registry
from x10_jupyter.metrics.styles import STYLES, written
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Content, Cut, Executed, Stepped, Traced

NAMES = ("matmul", "tanh", "subtract", "multiply", "mean", "square", "transpose", "sum", "add", "negative", "broadcast_to", "where")
PERCENTILES = x10.config.metrics_percentiles


class Thing:
    """Stands for a tensor."""

    __slots__ = ("__weakref__",)


def least_us(run: Callable[[], object], count: int, times: int = 20) -> float:
    """Microseconds of one of so many that a call does, in the best of some calls."""
    return min(seconds(run) for _ in range(times)) * 1e6 / count


def step_events() -> list[Event]:
    """What a known step tells."""
    common: dict[str, Any] = {"start_ns": 0, "end_ns": 5, "thread": get_ident(), "site": None}
    content = Content(recorded=MappingProxyType(dict.fromkeys(NAMES, 3)), nodes=40, numbers=1)
    return [
        Executed(program="p", launched_ns=3, began_ns=0, **common),
        Traced(ops=36, **common),
        Cut(why="barrier", how="barrier()", ops=36, live=4, program="p", content=content, **common),
        Stepped(index=1, **common),
    ]


def filled(count: int) -> list[Snapshot]:
    """So many metrics with all the samples that are kept."""
    found: list[Snapshot] = []
    for i in range(count):
        metric = Metric("time")
        for at in range(1024):
            metric.add([at * 7919 % 1_000_003], [at * 1000])
        found.append(metric.snapshot(f"Metric{i}"))
    return found


def counted(models: Mapping[str, int]) -> Iterator[str]:
    """What a step costs with and without somebody who counts, by turns.

    Args:
        models: Their names, and how many turns each is given.
    """
    for name, turns in models.items():
        lazy = Lazy(MODELS[name]())
        stepped(lazy, 20)
        sinks = EVENTS.sinks
        found: dict[bool, list[float]] = {True: [], False: []}
        try:
            for _ in range(turns):
                for is_counted, times in found.items():
                    for sink in sinks:
                        EVENTS.remove(sink)
                        if is_counted:
                            EVENTS.add(sink)
                    times.append(seconds(lambda lazy=lazy: stepped(lazy, 10)) * 1e5)
        finally:
            for sink in sinks:
                EVENTS.remove(sink)
                EVENTS.add(sink)
        for what, of in (("least", min), ("median", median)):
            yield f"| a step of {name}, without and with counting, {what} | {of(found[False]):,.0f} → {of(found[True]):,.0f} |"


def rows() -> Iterator[str]:
    """The table."""
    yield "| counters and metrics | µs |"
    yield "| --- | ---: |"
    metric, batch, many = Metric("time"), [5] * 256, 400
    yield f"| add a sample, 256 at once | {least_us(lambda: [metric.add(batch, batch) for _ in range(many)], many * len(batch)):.3f} |"
    registry, events = Registry(), step_events()

    def fold() -> None:
        for _ in range(1000):
            for event in events:
                registry.emit(event)

    yield f"| fold the four events of a known step, 12 names of operations | {least_us(fold, 1000):.2f} |"
    census, things = Census(lambda _: None), [Thing() for _ in range(10_000)]
    yield f"| count a tensor, and find out that it is gone | {least_us(lambda: [census.tensor(each) for each in things], len(things)):.3f} |"
    snapshots = filled(100)
    for style in STYLES:
        took = least_us(lambda style=style: written(report_of(snapshots, PERCENTILES), style), 1, 5)
        yield f"| report of 100 metrics with 1,024 samples, {style} | {took:,.0f} |"
    yield from counted({"small": 60, "mlp": 6})
