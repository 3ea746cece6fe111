"""When JAX chooses its platform and looks for devices: once in a process, whoever first needs a device."""

from collections.abc import Callable
from typing import TypeVar

from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.back_end import has_back_end
from x10_jupyter.jax_gate.private import Private
from x10_jupyter.jax_gate.replacement import Replacement

FIX = "Without it the time that JAX takes to find its devices is called whatever needed them first."

T = TypeVar("T")


class PlatformStart:
    """Tells when that begins and ends.

    It takes the place of the function of JAX's that gives the platforms, until there is one. Tried on jax 0.10.2 and 0.12.0.1. Gone: nothing is told.
    """

    def __init__(self, begin: Callable[[], T], end: Callable[[T], object]) -> None:
        """Tell nothing yet.

        Args:
            begin: Called as it begins. Must not raise.
            end: Called with what that gave when it has ended. Must not raise.
        """
        self._begin, self._end = begin, end
        self._replaced: Replacement | None = None

    def put(self) -> None:
        """Begin to tell; nothing if there is a platform already."""
        if has_back_end():
            return
        try:
            self._replaced = replaced = Replacement("jax._src.xla_bridge", "backends", fix=FIX)
        except ImportError:
            return

        def watched() -> Private:
            if has_back_end():  # another thread was first
                return replaced.original()
            begun = self._begin()
            try:
                return replaced.original()
            except BaseException as error:
                without_ours(error)
                raise
            finally:
                self._end(begun)
                if has_back_end():
                    self.undo()

        replaced.put(watched)

    def undo(self) -> None:
        """Tell no more."""
        if self._replaced is not None:
            self._replaced.undo()
            self._replaced = None
