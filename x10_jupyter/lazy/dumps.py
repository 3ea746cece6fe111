"""Programs that XLA cannot compile, or compiles slowly, are handed to whoever asks for them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from x10_jupyter.base.config import config
from x10_jupyter.lazy.line import Line
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.records.runtime_events import Dumped

LOG = logging.getLogger(__name__)


@contextmanager
def dumping(lowered: Any, line: Line) -> Iterator[None]:
    """Look at how the block, which compiles a program, ends and how long it takes.

    Args:
        lowered: The program, as JAX gives it to XLA.
        line: Where it was asked for.
    """
    start_ns = CLOCK.now_ns()
    try:
        yield
    except Exception:
        if "dumps" in EVENTS.wanted:
            dump("failed", lowered, line, start_ns)
        raise
    threshold = config.now.compile_time_threshold
    if "dumps" in EVENTS.wanted and threshold is not None and CLOCK.now_ns() - start_ns >= threshold * 1e9:
        dump("slow", lowered, line, start_ns)


def dump(why: Literal["failed", "slow"], lowered: Any, line: Line, start_ns: int) -> None:
    """Tell of a program; one that cannot be written down costs the user nothing."""
    took_ns = CLOCK.now_ns() - start_ns
    try:
        hlo = lowered.as_text(dialect="hlo")
    except Exception:
        LOG.exception("A program could not be written as HLO")
        return
    EVENTS.emit(Dumped(why=why, hlo=hlo, compile_ns=took_ns, **happened(line, start_ns)))
