"""Holds Ctrl-C back for a moment."""

import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

MAIN = threading.main_thread().ident
"""The only thread that signals interrupt, and that may say what they do."""

RAW: Any = import_module("_signal")
handler_of: Callable[[int], Any] = RAW.getsignal
swap: Callable[[int, Any], Any] = RAW.signal
"""Without what ``signal`` adds to make names of numbers: 0.2 µs where ``signal.signal`` takes 3."""

SIGINT = int(signal.SIGINT)


class HeldBack:
    """While the block runs, Ctrl-C waits; it interrupts when the block has ended.

    Between the launch of a program and the moment its results are stored an interrupt would lose both: the results, and the inputs that they
    were written over.
    """

    __slots__ = ("before", "came")

    def __init__(self) -> None:
        self.before: Callable[[int, FrameType | None], object] | None = None
        """What Ctrl-C does otherwise, in Python; None while it is not held back."""
        self.came = False

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        """Take the handler's place."""
        self.came = True

    def __enter__(self) -> None:
        if threading.get_ident() == MAIN:
            before = handler_of(SIGINT)
            if callable(before):
                self.before = before
                swap(SIGINT, self.note)

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            swap(SIGINT, self.before)
            if self.came:
                self.before(SIGINT, sys._getframe(1))  # pyright: ignore[reportPrivateUsage] # a handler is given the frame it interrupts
