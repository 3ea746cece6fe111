"""How large a program is that JAX is about to lower and compile, told before it does."""

import sys
import threading
from collections.abc import Mapping
from types import FrameType
from typing import Any

import jax.monitoring as monitoring

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.lowered_program import constants, first_uses, frames, function_to_lower, is_same_data, places, program_to_lower
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.outside import outside
from x10_jupyter.observe.staging import PHASES, called, here, is_own
from x10_jupyter.records.avals import aval_text
from x10_jupyter.records.process_events import Sized
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import Site, site_at
from x10_jupyter.records.size import MOST_BAKED, MOST_CALLBACKS, TOLD_BYTES, TOLD_OPS, Baked, Callback, by_line

CALLBACKS = ("debug_print", "debug_callback", "pure_callback", "io_callback")
"""Operations that call Python back."""


class Sizing:
    """Tells of programs that are large, hold much data, or call Python back, as long as somebody listens."""

    def __init__(self, clock: Clock) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a program is about to be lowered.
        """
        self.events = FanOut(self._follow)
        self._clock = clock
        self._lock = threading.RLock()  # the collector may run while it is held
        self.is_heard = False

    def _follow(self) -> None:
        """Hear of JAX if somebody listens, and not otherwise."""
        with self._lock:
            if self.events and not self.is_heard:
                monitoring.register_scalar_listener(self._begin)
            elif not self.events and self.is_heard:
                monitoring.unregister_scalar_listener(self._begin)
            self.is_heard = bool(self.events)

    def _begin(self, event: str, value: float, **about: object) -> None:  # noqa: ARG002 - its name is JAX's
        if PHASES.get(event) != "lower":
            return
        guarded(self._look, sys._getframe(1), called("lower", about))  # pyright: ignore[reportPrivateUsage] # the only way to it

    def _look(self, frame: FrameType, name: str) -> None:
        program = program_to_lower(frame)
        if program is None or is_own():
            return
        counted = places(program)
        arrays = {place: one for place, one in enumerate(constants(program)) if size_of(one) >= TOLD_BYTES}
        ops = counted.total()
        calling = [(traceback, op) for traceback, op in counted if op in CALLBACKS][:MOST_CALLBACKS]
        if ops < TOLD_OPS and not arrays and not calling:
            return
        sites = {traceback: site_of(traceback) for traceback in {traceback for traceback, _ in counted}}
        now_ns = self._clock.now_ns()
        self.events.emit(
            Sized(
                function=name,
                ops=ops,
                lines=by_line((sites[traceback], times, times) for (traceback, _), times in counted.items()) if ops >= TOLD_OPS else (),
                baked=baked(program, arrays, function_to_lower(frame)),
                baked_bytes=sum(map(size_of, arrays.values())),
                callbacks=tuple([Callback(op=op, site=sites[traceback]) for traceback, op in calling]),
                start_ns=now_ns,
                end_ns=now_ns,
                thread=threading.get_ident(),
                site=here(),
            )
        )


def size_of(array: Any) -> int:  # noqa: ANN401 - JAX's or NumPy's
    """Its size in bytes; 0 if it has none, as a key for random numbers."""
    size = getattr(array, "nbytes", 0)
    return size if isinstance(size, int) else 0


def site_of(traceback: Any) -> Site | None:  # noqa: ANN401 - JAX's
    """The user's line of a place in a program, or None if none is the user's."""
    for frame in frames(traceback):
        if not is_ours_or_library(frame.file):
            return site_at(*frame)
    return None


def baked(program: Any, arrays: Mapping[int, Any], function: Any) -> tuple[Baked, ...]:  # noqa: ANN401 - JAX's, and the user's
    """The arrays that a program holds, the largest first.

    Args:
        program: It.
        arrays: They, by their number.
        function: What became the program; None if that is not known.
    """
    largest = sorted(arrays, key=lambda place: -size_of(arrays[place]))[:MOST_BAKED]
    uses = first_uses(program, set(largest))
    known = list(outside(function)) if largest else []
    return tuple(
        [
            Baked(
                name=next((name for name, value in known if is_same_data(arrays[place], value)), ""),
                aval=aval_text(arrays[place].shape, str(arrays[place].dtype)),
                size_bytes=size_of(arrays[place]),
                site=site_of(uses.get(place)),
            )
            for place in largest
        ]
    )
