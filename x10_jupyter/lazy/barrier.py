"""`barrier()`: the end of a step."""

import threading
import weakref
from collections.abc import Sequence
from itertools import count
from typing import Any

import jax

from x10_jupyter.lazy.core import Value
from x10_jupyter.lazy.device import device_of
from x10_jupyter.lazy.execute import cut
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.lazy.read import told
from x10_jupyter.records.events import Stepped


class Steps:
    """Numbers the steps, and knows when each thread's last one ended."""

    numbers = count()
    last = threading.local()


def barrier(*, on: Any = None, devices: Sequence[Any] = (), wait: bool = False) -> None:
    """End the trace: everything recorded on this thread that something still refers to is computed as one program.

    Returns as soon as the program is launched.

    Args:
        on: A device, as in X10. A thread's trace is cut as a whole whichever it is.
        devices: More of them.
        wait: Whether to wait until the values are there.

    Raises:
        UsageError: There is no such device.
        LostValueError: The program could not be compiled or run; with ``wait`` also if it fails while it runs.
    """
    for device in (on, *devices):
        device_of(device)
    trace = LOCAL.trace
    start_ns = trace.start_ns or CLOCK.now_ns()
    pending = [weakref.ref(t) for t in trace.tensors if isinstance(t, Value)] if wait else []  # a strong reference would make each a value to compute
    cut(trace, "barrier", "barrier()")
    for ref in pending:
        t = ref()
        if t is not None and isinstance(t.held, jax.Array):
            with told(t):
                t.held.block_until_ready()
    start_ns = getattr(Steps.last, "end_ns", start_ns)
    end_ns = Steps.last.end_ns = CLOCK.now_ns()
    if EVENTS:
        EVENTS.emit(Stepped(index=next(Steps.numbers), **happened(user_line(), start_ns, end_ns)))
