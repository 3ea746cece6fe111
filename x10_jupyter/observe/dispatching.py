"""Operations of JAX that the user's code runs one by one, outside any ``jax.jit``, added up in stretches.

Each is counted; at which line it stands, and how long it takes, is looked at for one in some.
"""

import sys
import threading
from collections import Counter
from statistics import median
from types import CodeType, FrameType
from typing import Any

from x10_jupyter.base.clock import Clock
from x10_jupyter.base.frames import PACKAGE, is_library
from x10_jupyter.jax_gate.call_hook import CallHook
from x10_jupyter.observe.guard import guarded
from x10_jupyter.observe.launching import Launching
from x10_jupyter.records.process_events import Dispatched
from x10_jupyter.records.sink import FanOut
from x10_jupyter.records.site import site_in

STRIDES = (29, 31, 37, 41, 43)
"""So many are counted from one look to the next; primes, and one after the other, so that a loop is not looked at at the same operation each time."""

GAP_NS = 100_000_000
"""A stretch is over if there is so long from one look to the next: then an operation takes 3 ms, which is more than JAX's Python takes for any."""

MOST_NS = 250_000_000
"""A stretch that is longer is told in parts, since what is told late is not counted in a long capture."""

LEAST = 128
"""Operations of a stretch that is told; in any cell some run."""

MOST_FRAMES = 64
"""Frames that are asked whether one is of a gradient."""

GRADIENT = frozenset({"value_and_grad_f", "backward_pass", "backward_pass3"})
"""Functions of JAX's in which a gradient is computed. Where they have other names, it is told as any operations."""

MOST_KNOWN = 4096
"""Functions that are known to be JAX's own, or not to be."""


class Dispatching:
    """Tells of them, as long as somebody listens, on the thread that began to listen first."""

    def __init__(self, clock: Clock, launching: Launching) -> None:
        """Hear nothing yet.

        Args:
            clock: Tells when a stretch begins and ends.
            launching: Is told from where compiled functions are called, when it asks.
        """
        self.events = FanOut(self._follow)
        self._clock, self._launching = clock, launching
        self._lock = threading.RLock()  # the collector may run while it is held
        self._hook: CallHook | None = None
        self._counting: Counting | None = None

    @property
    def is_heard(self) -> bool:
        """Whether JAX calls us."""
        return self._hook is not None

    def _follow(self) -> None:
        """Count if somebody listens, and not otherwise."""
        with self._lock:
            if self.events and self._hook is None:
                guarded(self._begin)
            elif not self.events and self._hook is not None:
                self._hook.undo()
                self._hook = self._counting = None
                self._launching.forget()

    def _begin(self) -> None:
        """Have JAX call us; where JAX has no place for it, nothing is told."""
        hook, counting = CallHook(), Counting(self._clock, self.events, self._launching)
        hook.put(counting.hear)
        self._hook, self._counting = hook, counting

    def settle(self) -> None:
        """Tell of the stretch that lasts still."""
        counting = self._counting
        if counting is not None and counting.thread == threading.get_ident():
            guarded(counting.end)


def is_in_gradient(frame: FrameType | None) -> bool:
    """Whether a gradient is computed that is not compiled."""
    for _ in range(MOST_FRAMES):
        if frame is None:
            return False
        if frame.f_code.co_name in GRADIENT and is_library(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


class Counting:
    """Counts the operations of one thread. All of it runs there."""

    def __init__(self, clock: Clock, events: FanOut, launching: Launching) -> None:
        """Begin with none.

        Args:
            clock: Tells when a stretch begins and ends.
            events: Where to tell of them.
            launching: Is told from where compiled functions are called, when it asks.
        """
        self.clock, self.events, self.launching, self.thread = clock, events, launching, threading.get_ident()
        self.own = set[Any]()
        """Functions that are JAX's own."""
        self.others = set[int]()
        """Functions that are not, by identity, so that they are not kept alive."""
        self.left = self.due = 1
        """Operations until the next look, and how many they were."""
        self.turn = 0
        self.start_ns = self.last_ns = self.ops = self.gradients = 0
        self.is_pair = False
        """Whether the last look was at the operation before."""
        self.places, self.names = Counter[tuple[CodeType, int]](), Counter[str]()
        self.each_ns = list[int]()

    def hear(self, function: Any, _args: Any, _kwargs: Any, result: Any) -> None:  # noqa: ANN401 - JAX's
        """JAX has called a compiled function. Runs for each, so it does the least it can."""
        if self.launching.left > 0:
            guarded(self.launching.launched, function, sys._getframe(1), result)  # pyright: ignore[reportPrivateUsage] # its documented name
        if function in self.own or (id(function) not in self.others and guarded(self.is_operation, function)):
            self.left -= 1
            if not self.left:
                guarded(self.look, function, sys._getframe(1))  # pyright: ignore[reportPrivateUsage] # its documented name

    def is_operation(self, function: Any) -> bool:  # noqa: ANN401
        """Whether a function that was not called before is an operation of JAX's, and nothing that a ``jax.jit`` of the user's has made."""
        module = getattr(function, "__module__", None)
        if isinstance(module, str) and module.partition(".")[0] == "jax":
            if len(self.own) < MOST_KNOWN:
                self.own.add(function)
            return True
        if module != type(function).__module__ and len(self.others) < MOST_KNOWN:  # those without a module are made for one call
            self.others.add(id(function))
        return False

    def look(self, function: Any, frame: FrameType | None) -> None:  # noqa: ANN401
        """Look at one operation, and then at the next, to tell how long one takes; then not for some.

        Args:
            function: What was called.
            frame: Where from.
        """
        now_ns, done = self.clock.now_ns(), self.due
        self.left = self.due = STRIDES[self.turn % len(STRIDES)] if self.is_pair else 1
        self.is_pair, self.turn = not self.is_pair, self.turn + 1
        if self.start_ns and (now_ns - self.last_ns > GAP_NS or now_ns - self.start_ns > MOST_NS):
            self.tell()
        if not self.start_ns:
            self.start_ns = now_ns
        elif not self.is_pair:
            self.each_ns.append(now_ns - self.last_ns)
        self.last_ns, self.ops = now_ns, self.ops + done
        is_gradient = is_in_gradient(frame)
        while frame is not None and is_library(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
            self.places[frame.f_code, frame.f_lineno] += 1
            self.gradients += is_gradient
            self.names[str(getattr(function, "__name__", ""))] += 1

    def end(self) -> None:
        """The stretch that lasts is over; the next operation begins another one."""
        self.ops += self.due - self.left
        self.tell()
        self.left = self.due = 1
        self.is_pair = False

    def tell(self) -> None:
        """Tell of a stretch, if it was one of the user's."""
        if self.ops >= LEAST and self.places and self.each_ns:
            (code, line), _ = self.places.most_common(1)[0]
            self.events.emit(
                Dispatched(
                    ops=self.ops,
                    each_ns=round(median(self.each_ns)),
                    is_gradient=2 * self.gradients >= self.places.total(),
                    op=self.names.most_common(1)[0][0].strip("_"),
                    start_ns=self.start_ns,
                    end_ns=self.last_ns,
                    thread=self.thread,
                    site=site_in(code, line),
                )
            )
        self.start_ns = self.ops = self.gradients = 0
        self.places, self.names, self.each_ns = Counter(), Counter(), []
