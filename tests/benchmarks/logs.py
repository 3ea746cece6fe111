"""Trace logs: what they cost a node and a cut, and a cut where nobody asks for them."""

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import x10_jupyter as x10
from tests.benchmarks.timing import seconds
from x10_jupyter.lazy.drawn import draw
from x10_jupyter.lazy.execute import Asked
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.graphed import look, tell
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.records.runtime_events import Graphed
from x10_jupyter.tracelog.writer import Writer

DATA = np.full((8, 8), 1e-3, np.float32)
LARGE = 10_000
"""Nodes of the large graph, which is drawn and written, but not compiled: XLA takes time by the square for such a chain."""
LENGTHS = count(2)
"""A length that no graph had before makes one that is not known."""


def chain(x: Any, y: Any, ops: int) -> Any:
    """So many operations, of which none is left out, since each takes what the one before made."""
    for _ in range(ops // 2):
        x = x + y
        x = x * y
    return x


def large(folder: Path, form: str) -> float:
    """Seconds that it takes to draw and write a graph of 10,000 nodes that was never seen: two inputs, and operations."""
    trace, limit = LOCAL.trace, LOCAL.trace.limit
    trace.limit = 2 * LARGE
    length = next(LENGTHS)
    x, y = [x10.tensor(np.full(length, 1e-3, np.float32)) for _ in range(2)]
    kept = chain(x, y, LARGE - 2)
    writer = Writer(lambda: str(folder / "log"), form, with_changes=False)

    steps, root, numbers = path_to(trace.state), kept.ref, trace.numbers
    took = seconds(lambda: writer.emit(Graphed(**event(draw(steps, [root], numbers, {})))))
    trace.restart()
    trace.limit = limit
    return took


def event(graph: Any) -> dict[str, Any]:
    """What a record of a graph needs beside it."""
    common = {"start_ns": 0, "end_ns": 0, "thread": 0, "site": None}
    return {"graph": graph, "why": "barrier", "how": "barrier()", "frames": (), "program": "p", "key": "0", "found": "hit", **common}


def known(ops: int, form: str | None, folder: Path) -> Callable[[], float]:
    """What cuts a chain whose program is known, with a log or without, and comes back with the microseconds until `barrier()` returned."""
    x, y = x10.tensor(DATA), x10.tensor(DATA)

    def cut() -> float:
        with x10.config(XLA_SAVE_TENSORS_FILE=form and folder / "log", XLA_SAVE_TENSORS_FMT=form or "text"):
            took = 0.0
            for _ in range(2):  # the first cut of a log that was just switched on makes the text
                kept = chain(x, y, ops)
                took = seconds(x10.barrier)
                kept.block_until_ready()
        return took * 1e6

    cut()
    return cut


def nobody_asks() -> float:
    """Microseconds that a cut takes longer for asking whether anybody wants its graph, of 100,000 times."""
    asked = Asked("barrier", "barrier()")

    def ask() -> None:
        for _ in range(100_000):
            tell(look(LOCAL.trace, (), asked, 0), asked)

    return min(seconds(ask) for _ in range(5)) * 10


def rows() -> Iterator[str]:
    """The table."""
    yield "| trace log | a new graph of 10,000 nodes | | a known graph of 1,002 nodes, beside no log | |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for form in ("text", "dot"):
            new = min(large(folder, form) for _ in range(15))
            logged, plain = known(1000, form, folder), known(1000, None, folder)
            more = median(logged() - plain() for _ in range(25))
            yield f"| {form} | {new:.3f} s | {new / LARGE * 1e6:.1f} µs a node | {more:.0f} µs | {more / 1002:.2f} µs a node |"
    yield ""
    yield f"Without a log a cut asks whether anybody wants its graph: {nobody_asks():.2f} µs."
