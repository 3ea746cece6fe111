"""When JAX compiles for what runs at once, not as a part of a program."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.monitoring

from x10_jupyter.lazy.producer import CLOCK

COMPILING = "/jax/core/compile/"


@contextmanager
def noting_compiles(spans: list[tuple[int, int]]) -> Iterator[None]:
    """Note when JAX traces, lowers or compiles on this thread while the block runs: an operation that runs at once has programs of its own."""
    thread = threading.get_ident()

    def hear(event: str, duration_secs: float, **_: Any) -> None:
        if event.startswith(COMPILING) and threading.get_ident() == thread:
            end_ns = CLOCK.now_ns()
            spans.append((end_ns - int(duration_secs * 1e9), end_ns))

    jax.monitoring.register_event_duration_secs_listener(hear)
    try:
        yield
    finally:
        jax.monitoring.unregister_event_duration_listener(hear)
