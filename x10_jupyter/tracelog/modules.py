"""Writes down programs that XLA could not compile, or compiled slowly: X10's ``XLA_SAVE_HLO_FILE`` and ``XLA_SLOW_COMPILE_HLO_FOLDER``."""

import logging
from collections.abc import Callable
from itertools import count
from pathlib import Path

from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Dumped
from x10_jupyter.records.sink import Extra
from x10_jupyter.tracelog.appending import Appending

LOG = logging.getLogger(__name__)


class FailedPrograms:
    """A sink that appends each program that could not be compiled to a file."""

    extras: tuple[Extra, ...] = ("dumps",)
    """What to ask a producer for."""

    def __init__(self, path: Callable[[], str]) -> None:
        """Prepare.

        Args:
            path: Tells the file's path.
        """
        self._file = Appending(path, "XLA_SAVE_HLO_FILE")

    def emit(self, event: Event) -> None:
        """Write a program that failed. Here each is compiled on its own, so that the number that X10 gives it among others is always 0."""
        if isinstance(event, Dumped) and event.why == "failed":
            self._file.append(f"[HLO Graph 0 From Thread {event.thread}]\n{event.hlo}\n")


class SlowPrograms:
    """A sink that writes each program whose compile was slow to a file of its own."""

    extras: tuple[Extra, ...] = ("dumps",)
    """What to ask a producer for."""

    def __init__(self, folder: str) -> None:
        """Prepare; the folder is made when there is something to write.

        Args:
            folder: Where the files go.
        """
        self._folder = Path(folder)
        self._numbers = count()
        self._told = False

    def emit(self, event: Event) -> None:
        """Write a program that was slow, with how many whole seconds it took in the file's name."""
        if isinstance(event, Dumped) and event.why == "slow":
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                (self._folder / f"hlo_module-{next(self._numbers)}-{event.compile_ns // 1_000_000_000}s.txt").write_text(f"{event.hlo}\n", encoding="utf-8")
            except OSError as error:
                self._tell(error)

    def _tell(self, error: OSError) -> None:
        if not self._told:
            self._told = True
            LOG.warning("XLA_SLOW_COMPILE_HLO_FOLDER: %s cannot be written (%s). All goes on.", self._folder, error.strerror or error)
