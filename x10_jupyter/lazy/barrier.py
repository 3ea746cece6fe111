"""`barrier()`: the end of a step."""

import threading
import weakref
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import jax

from x10_jupyter.jax_gate.back_end import live_arrays
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.device import devices_among
from x10_jupyter.lazy.execute import LAUNCHED, cut
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.placement import first_device
from x10_jupyter.lazy.producer import CLOCK, EVENTS, site_of
from x10_jupyter.lazy.read import told
from x10_jupyter.lazy.value import Value
from x10_jupyter.records.runtime_events import Stepped


class Steps:
    """Numbers the steps, and knows when each thread's last one ended."""

    numbers = count()
    last = threading.local()


def barrier(*, on: Any = None, devices: Sequence[Any] = (), wait: bool = False) -> None:
    """End the trace: everything recorded on this thread that something still refers to is computed as one program.

    Returns as soon as the program is launched. A thread's trace is on one device, or spread over several; work on others ends it by itself.

    Args:
        on: A device, its name, or a sharding: only what is pending there is computed, so a trace on none of its devices goes on, and no step ends. A trace of
            data that nobody has put anywhere is on the default device.
        devices: More of them. With neither it is everything that is pending on this thread.
        wait: Whether to wait until those devices have done what they were given, by this call and before, by any thread: the programs that were launched, the
            values that something refers to, also those of ordinary JAX. What other threads have only recorded is not launched.

    Raises:
        UsageError: There is no such device.
        LostValueError: The program could not be compiled or run; with ``wait`` also if it fails while it runs. What was launched before and failed says so
            where it is read.
    """
    wanted = devices_among((on, *devices))
    trace = LOCAL.trace
    concerned = not wanted or trace.state.parent is None or not wanted.isdisjoint(on_devices(trace))
    start_ns = trace.start_ns or CLOCK.now_ns()
    pending: list[weakref.ref[Value]] = []
    is_empty = trace.state.parent is None
    try:
        if concerned:
            if wait:  # a strong reference would make each a value to compute
                pending = [weakref.ref(t) for t in trace.tensors if isinstance(t, Value)]
            cut(trace, "barrier", "barrier()")
        if wait:
            wait_for(pending, wanted)
    except Exception:  # the step has ended all the same; one that Ctrl-C interrupts goes on
        if concerned:
            end_step(trace, start_ns, is_empty=is_empty)
        raise
    if concerned:
        end_step(trace, start_ns, is_empty=is_empty)


def end_step(trace: Trace, start_ns: int, *, is_empty: bool) -> None:
    """Tell that a step has ended.

    Args:
        trace: The thread's.
        start_ns: When the step began, if it is the thread's first.
        is_empty: Whether there was nothing to cut.
    """
    start_ns = getattr(Steps.last, "end_ns", start_ns)
    end_ns = Steps.last.end_ns = CLOCK.now_ns()
    if EVENTS:
        cut_line = None if is_empty else trace.last_cut
        site = site_of(user_line() if cut_line is None else cut_line[1])
        EVENTS.emit(Stepped(index=next(Steps.numbers), start_ns=start_ns, end_ns=end_ns, thread=threading.get_ident(), site=site))


def on_devices(trace: Trace) -> Sequence[Any]:
    """The devices that a trace's work is done on."""
    return trace.devices or (first_device(trace.context),)


def wait_for(pending: Sequence["weakref.ref[Value]"], wanted: frozenset[Any]) -> None:
    """Wait until devices have nothing left to do.

    Args:
        pending: What was pending until now: if it failed while it ran, it says so now.
        wanted: The devices; all if there are none.
    """
    for ref in pending:
        t = ref()
        if t is not None and isinstance(t.held, jax.Array):
            with told(t):
                t.held.block_until_ready()
    for array in (*LAUNCHED, *live_arrays()):
        with suppress(RuntimeError):  # it failed, or was deleted: that is told where it is read
            if not wanted or not wanted.isdisjoint(array.sharding.device_set):
                array.block_until_ready()
