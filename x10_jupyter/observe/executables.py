"""The programs that are alive in this process, each looked at only when somebody asks."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from x10_jupyter.jax_gate.extended import get_backend
from x10_jupyter.observe.hlo_text import Module, module


class Executable:
    """One compiled program."""

    def __init__(self, loaded: Any) -> None:  # noqa: ANN401 - a `LoadedExecutable` of XLA's
        """Look at nothing yet.

        Args:
            loaded: XLA's own.
        """
        self.loaded = loaded

    @cached_property
    def hlo(self) -> Any:  # noqa: ANN401 - an `HloModule` of XLA's
        """What XLA made of it; None if it does not tell."""
        return next(iter(self.loaded.hlo_modules()), None)

    @cached_property
    def name(self) -> str:
        """XLA's name of it: ``jit_step``; others may have the same."""
        return "" if self.hlo is None else str(self.hlo.name)

    @cached_property
    def fingerprint(self) -> bytes:
        """Equal for equal programs; empty if XLA does not tell."""
        found: object = getattr(self.loaded, "fingerprint", b"")
        return found if isinstance(found, bytes) else str(found or "").encode()

    @cached_property
    def text(self) -> str:
        """The optimised program as XLA writes it. Takes 7 µs an instruction."""
        return "" if self.hlo is None else str(self.hlo.to_string())

    @cached_property
    def module(self) -> Module:
        """The same, read."""
        return module(self.text)


def live() -> Iterator[Executable]:
    """Those of the default back end, the newest first."""
    for loaded in get_backend().live_executables():
        yield Executable(loaded)


def named(found: Iterable[Executable], name: str) -> list[Executable]:
    """Those with one name."""
    return [each for each in found if each.name == name]
