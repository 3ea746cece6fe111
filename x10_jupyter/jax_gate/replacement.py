"""Puts another function in the place of one of JAX's, and the old one back."""

import sys
from collections.abc import Callable
from types import ModuleType

from x10_jupyter.jax_gate.private import Private, private


class Replacement:
    """One function of JAX, replaced in every module of JAX that has imported it."""

    def __init__(self, module: str, name: str, *, fix: str) -> None:
        """Find the function.

        Args:
            module: The module that defines it.
            name: Its name there.
            fix: What someone whose JAX lacks it can do.

        Raises:
            UnsupportedJaxError: There is no such function.
        """
        self.original: Callable[..., Private] = private(module, name, fix=fix)
        self.places: list[tuple[ModuleType, str]] = []

    def put(self, replacement: Callable[..., Private]) -> None:
        """Put the replacement wherever the original is."""
        for name, module in list(sys.modules.items()):
            if name == "jax" or name.startswith("jax."):
                for attribute, value in list(vars(module).items()):
                    if value is self.original:
                        setattr(module, attribute, replacement)
                        self.places.append((module, attribute))

    def undo(self) -> None:
        """Put the original back."""
        for module, attribute in self.places:
            setattr(module, attribute, self.original)
        self.places.clear()
