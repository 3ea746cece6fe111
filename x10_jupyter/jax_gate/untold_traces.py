"""Traces that JAX makes and does not tell of: those within a transformation, such as the first gradient of a jitted function."""

from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.private import Private, private
from x10_jupyter.jax_gate.tracing import trace_state_clean

FIX = "Without it the time that JAX traces within a transformation is called Python."
HOME, NAME = "jax._src.pjit", "_trace_for_jit"

T = TypeVar("T")


class UntoldTraces:
    """Tells when such a trace begins and ends.

    It takes the place of the function of JAX's that traces, which a call that JAX knows never enters. Tried on jax 0.10.2; the function is the same in
    0.12.0.1. Gone: nothing is told.
    """

    def __init__(self, begin: Callable[[Private], T | None], end: Callable[[T], object]) -> None:
        """Tell nothing yet.

        Args:
            begin: Called with the function as one begins; None if its end is of no interest. Must not raise.
            end: Called with what that gave. Must not raise.
        """
        self._begin, self._end = begin, end
        self._original: Private = None
        self._watched: Private = None

    def put(self) -> None:
        """Begin to tell."""
        try:
            self._original = original = private(HOME, NAME, fix=FIX)
        except ImportError:
            return
        begin, end = self._begin, self._end

        def watched(fun: Private, *args: Private, **kwargs: Private) -> Private:
            begun = None if trace_state_clean() else begin(fun)
            try:
                return original(fun, *args, **kwargs)
            except BaseException as error:
                without_ours(error)
                raise
            finally:
                if begun is not None:
                    end(begun)

        self._watched = watched
        setattr(home(), NAME, watched)

    def undo(self) -> None:
        """Tell no more; what somebody else has put into the same place since stays."""
        if self._original is not None and getattr(home(), NAME, None) is self._watched:
            setattr(home(), NAME, self._original)
        self._original = None


def home() -> Private:
    """The module that holds the function."""
    return import_module(HOME)
