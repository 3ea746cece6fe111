"""Reads of JAX's own arrays for which Python waited: ``float(loss)``, ``loss.item()``, ``jax.block_until_ready(params)``.

An array that is there when it is read keeps nobody waiting and is not told of, unless bringing it to the host takes long.
"""

import math
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import jax

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.frames import PACKAGE, is_library, is_ours_or_library
from x10_jupyter.jax_gate.array_reads import ArrayReads, are_ready, wait_for_all
from x10_jupyter.observe.guard import guarded
from x10_jupyter.records.avals import aval_text
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site, site_in

LEAST_NS = 50_000
"""An array that is there is told of if to bring it took so long: ten times what a small one takes."""

WRAPPERS = (f"{Path(jax.__file__).parent}/_src/traceback_util.py",)
"""JAX's own code that stands between the user's and the function that they called."""

THROUGH = tuple(f"{PACKAGE}{floor}/" for floor in ("observe", "jax_gate", "magics", "session"))
"""Code of this package through which the user's own reads go, as when a cell's last value is shown. All other code of it reads for itself."""

HOW = {
    "__float__": "float()",
    "__int__": "int()",
    "__bool__": "bool()",
    "__complex__": "complex()",
    "__index__": "index",
    "__format__": "format()",
    "__repr__": "repr()",
    "__str__": "str()",
    "__array__": "numpy",
    "__reduce__": "pickle",
    "item": ".item()",
    "tolist": ".tolist()",
    "tobytes": ".tobytes()",
    "device_get": "jax.device_get()",
    "block_until_ready": ".block_until_ready()",
    "cache_miss": "baking in",
}
"""What is read by in the user's words, by the name of the function that JAX has for it."""


class Caller(NamedTuple):
    """Who reads."""

    site: Site | None
    """The user's line; None if no code of the user's is running."""

    how: str
    """What they read by."""


class Reading:
    """Tells of reads, as long as somebody listens."""

    def __init__(self, clock: Clock, others_clock: Clock, queue_clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a read begins and ends.
            others_clock: Tells the CPU time of all threads but the calling one.
            queue_clock: Tells how long the calling thread has waited for a core.
        """
        self.events = FanOut(self._follow)
        self._clock, self._others_clock, self._queue_clock = clock, others_clock, queue_clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self._hooks: ArrayReads | None = None
        self._local = threading.local()

    @property
    def is_heard(self) -> bool:
        """Whether JAX's functions are replaced."""
        return self._hooks is not None

    def _follow(self) -> None:
        """Hear of reads if somebody listens, and not otherwise."""
        with self._lock:
            if self.events and self._hooks is None:
                self._local = threading.local()
                guarded(self._begin)
            elif not self.events and self._hooks is not None:
                self._hooks.restore()
                self._hooks = None

    def _begin(self) -> None:
        """Replace JAX's functions; where JAX has others, nothing is told."""
        hooks = ArrayReads()
        hooks.replace(self.hear)
        self._hooks = hooks

    def hear(self, name: str, arrays: Sequence[jax.Array], wait: Callable[[], object], call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever JAX's function gives
        """Called by JAX's functions in place of what they do.

        Args:
            name: What the function is called.
            arrays: What it waits for.
            wait: Waits for them.
            call: What the function does; its result comes back, and so does its error.
        """
        mine = self._local.__dict__
        if mine.get("is_reading"):
            return call()
        start_ns, was_ready = self._clock.now_ns(), are_ready(arrays)
        others_ns = 0 if was_ready else self._others_clock.now_ns()
        queue_start_ns = 0 if was_ready else self._queue_clock.now_ns()
        mine["is_reading"] = True
        ready_ns = start_ns
        try:
            if not was_ready:
                with suppress(Exception):  # which the call raises, too
                    wait()
                ready_ns = self._clock.now_ns()
            return call()
        finally:
            mine["is_reading"] = False
            end_ns = self._clock.now_ns()
            if not was_ready or end_ns - start_ns >= LEAST_NS:
                queued_ns = 0 if was_ready else self._queue_clock.now_ns() - queue_start_ns
                guarded(self._tell, name, arrays, (start_ns, ready_ns, end_ns), others_ns or self._others_clock.now_ns(), queued_ns)

    def drain(self) -> int | None:
        """Wait for what ordinary JAX has launched, as far as somebody holds its results: a capture's programs end with it.

        Returns:
            When the last of it was there, in nanoseconds; None if all was there.
        """
        mine = self._local.__dict__
        mine["is_reading"] = True  # so that this is no read of the user's
        try:
            return wait_for_all(self._clock)
        finally:
            mine["is_reading"] = False

    def _tell(self, name: str, arrays: Sequence[jax.Array], times: tuple[int, int, int], others_ns: int, queued_ns: int) -> None:
        """Report a read.

        Args:
            name: The function.
            arrays: What was read.
            times: When it began, when the arrays were ready, and when it had ended, in nanoseconds.
            others_ns: CPU time of the other threads when it began.
            queued_ns: Time in which the thread waited for a core.
        """
        mine = self._local.__dict__
        before_ns, mine["others_ns"] = mine.get("others_ns"), self._others_clock.now_ns()
        caller = caller_of(sys._getframe(2), name)  # pyright: ignore[reportPrivateUsage] # the only way to it that costs nothing
        if caller is None:
            return
        start_ns, ready_ns, end_ns = times
        is_host = before_ns is not None and all(device.platform == "cpu" for array in arrays for device in array.devices())
        self.events.emit(
            Read(
                how=caller.how,
                aval=described(arrays),
                size_bytes=sum(math.prod(array.shape) * array.dtype.itemsize for array in arrays),
                pending_ops=0,
                ready_ns=ready_ns,
                is_jax=True,
                beside_ns=max(0, others_ns - before_ns) if is_host and before_ns is not None else None,
                queued_ns=queued_ns,
                start_ns=start_ns,
                end_ns=end_ns,
                thread=threading.get_ident(),
                site=caller.site,
            )
        )


def described(arrays: Sequence[jax.Array]) -> str:
    """Shape and dtype of the first of them, and how many others there are."""
    first = arrays[0]
    told = aval_text(first.shape, str(first.dtype), weak=first.weak_type)
    return told if len(arrays) == 1 else f"{told} and {len(arrays) - 1} more"


def caller_of(start: FrameType, name: str) -> Caller | None:
    """Who reads; None if it is this package for itself.

    Args:
        start: The frame from which the reader is looked for.
        name: What JAX's function is called.
    """
    frame: FrameType | None = start
    how, last = "" if name == "_value" else name, name
    while frame is not None:
        file = frame.f_code.co_filename
        if is_library(file) and file not in WRAPPERS:
            last = frame.f_code.co_name
            how = last if last in HOW else how  # the outermost, since `jax.device_get` asks for `__array__`
        elif not file.startswith((*WRAPPERS, *THROUGH)):
            break
        frame = frame.f_back
    if frame is not None and is_ours_or_library(frame.f_code.co_filename):
        return None
    return Caller(None if frame is None else site_in(frame.f_code, frame.f_lineno), HOW.get(how, f"{last}()"))
