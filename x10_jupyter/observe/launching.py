"""Whether a thread stands at a call that launches a program: ``state = step(state, batch)``.

JAX lets only so many programs be in flight, 32 on a CPU. Where there are as many, the call itself waits, in C++, until one has ended. Which instructions call
compiled functions JAX tells after each call; it is looked at only after a thread was seen to stand where nobody knows, so that all other calls cost nothing.
"""

from types import CodeType, FrameType
from typing import Any
from weakref import ref

import jax

from x10_jupyter.base.frames import PACKAGE, is_library
from x10_jupyter.observe.standing import Place
from x10_jupyter.records.site import site_in

MOST = 1024
"""Instructions that are known; of more none is told."""

FOLLOWED = 64
"""Launches that are looked at one after the other, from one look at the thread to the next."""

LEAVES = 16
"""Arrays of a result that are looked at."""


class Launching:
    """Knows the instructions; one thread asks, and the one that launches answers with its next launches."""

    def __init__(self) -> None:
        """Begin with none."""
        self.left = 0
        """So many of the next launches are to be looked at."""
        self.functions = dict[tuple[CodeType, int], str]()
        """What is launched there."""
        self.results = list[ref[jax.Array]]()
        """Arrays that the last launch gave; none unless the next is looked at, too."""

    def launched(self, function: Any, frame: FrameType, result: Any) -> None:  # noqa: ANN401 - JAX's
        """A compiled function was called.

        Args:
            function: It.
            frame: Where from; no step of Python lies between.
            result: What it gave.
        """
        self.left -= 1
        if len(self.functions) < MOST:
            self.functions[frame.f_code, frame.f_lasti] = str(getattr(function, "__name__", "a program"))
        self.results = [ref(array) for array in jax.tree.leaves(result)[:LEAVES]] if self.left > 0 else []

    def standing(self, frame: FrameType) -> Place | None:
        """Where a thread stands if it is at such a call of the user's; None anywhere else, and as long as it is not known.

        Args:
            frame: Its innermost frame. The thread must not run meanwhile.
        """
        function = self.functions.get((frame.f_code, frame.f_lasti))
        if function is None:
            self.left = max(self.left, 1)
            return None
        at: FrameType | None = frame
        while at is not None and is_library(at.f_code.co_filename):
            at = at.f_back
        if at is None or at.f_code.co_filename.startswith(PACKAGE):  # what the runtime launches it tells by itself
            return None
        return Place(function, site_in(at.f_code, at.f_lineno), kind="launch")

    def is_under_way(self) -> bool:
        """Whether a launch has begun and not ended, where that can be told: it was given an array that the last one gave, which nobody has any more.

        A loop that donates all it has holds nothing that is pending while it waits.
        """
        self.left = FOLLOWED
        return any(array is not None and array.is_deleted() for array in [one() for one in self.results])

    def forget(self) -> None:
        """Know none any more, so that no code is kept alive."""
        self.left = 0
        self.functions.clear()
        self.results = []
