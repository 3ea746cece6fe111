"""The lazy runtime as tests use it: forgotten before each test, and listened to."""

import gc
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from x10_jupyter.lazy.core import TRACES
from x10_jupyter.lazy.execute import STORE
from x10_jupyter.lazy.producer import CLOCK, EVENTS, drain
from x10_jupyter.records.cause import Cause
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Compiled, Executed, Rejoined
from x10_jupyter.records.sink import ListSink

CELLS = count(1)


def forget() -> None:
    """Make the runtime as it is in a fresh process: no program, no known trace."""
    STORE.clear()
    for trace in list(TRACES):
        trace.roots.clear()
        trace.restart()


class Launched(ListSink):
    """Keeps every event but the ends of programs that were launched before."""

    def __init__(self, start_ns: int) -> None:
        super().__init__()
        self.start_ns = start_ns

    def emit(self, event: Event) -> None:
        if not isinstance(event, Executed) or event.start_ns >= self.start_ns:
            super().emit(event)


@contextmanager
def listening() -> Iterator[list[Event]]:
    """The runtime's events while the block runs; all that was launched has finished when it ends."""
    sink = Launched(CLOCK.now_ns())
    EVENTS.add(sink)
    try:
        yield sink.events
        drain()
    finally:
        EVENTS.remove(sink)


def compiles(run: Callable[[], Any]) -> list[Compiled]:
    """What running something compiled."""
    with listening() as events:
        run()
    return [e for e in events if isinstance(e, Compiled)]


def causes(run: Callable[[], Any]) -> list[Cause]:
    """Why running something compiled, in order."""
    return [e.cause for e in compiles(run)]


def rejoined(run: Callable[[], Any]) -> list[Rejoined]:
    """The known programs that running something met again on another path."""
    with listening() as events:
        run()
    return [e for e in events if isinstance(e, Rejoined)]


def interrupted(run: Callable[[], object], after: int, press: Callable[[], object], counts: Callable[[Any, str], bool] | None = None) -> bool:
    """Whether something was interrupted while it ran.

    Args:
        run: It.
        after: At which call, from 1: before the call of that number, or after it if it was one of C.
        press: Interrupts.
        counts: Whether an event of the profiler, in a frame, is a call that counts; all do when None.
    """
    left = after

    def profile(frame: Any, event: str, _: object) -> None:
        nonlocal left
        left -= event in {"call", "c_return"} if counts is None else counts(frame, event)
        if left == 0:
            left = -1
            press()

    gc.disable()  # JAX's own callback of the collector is a call too, and what is raised in it Python drops
    sys.setprofile(profile)
    try:
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
        gc.enable()
    return left < 0


def raise_interrupt() -> None:
    """Interrupt at once, whatever is done about signals."""
    raise KeyboardInterrupt


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run source as a notebook cell: under a file name of its own, with its lines to be had."""
    name = f"<cell {next(CELLS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), names)
