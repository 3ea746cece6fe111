"""Appends the report to a file at each step, as ``XLA_METRICS_FILE`` asks for; other tools draw it as a series."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path

from x10_jupyter.base.errors import gist
from x10_jupyter.base.rules import STREAMS
from x10_jupyter.records.events import Event
from x10_jupyter.records.runtime_events import Stepped

LOG = logging.getLogger(__name__)


class StepFile:
    """A sink that writes a report when a step has ended."""

    def __init__(self, target: Callable[[], str], report: Callable[[], str]) -> None:
        """Prepare; nothing is opened before there is something to write.

        Args:
            target: Tells the path of the file, or ``STDERR`` or ``STDOUT``.
            report: Makes the report.
        """
        self._target = target
        self._report = report
        self._is_broken = False
        """Whether it was told that the file cannot be written."""

    def emit(self, event: Event) -> None:
        """Write a report, if the event is the end of a step."""
        if isinstance(event, Stepped):
            self._append(f"[MetricsData; step={event.index}]\n{self._report()}\n")

    def _append(self, text: str) -> None:
        target = self._target()
        try:
            if target in STREAMS:
                print(text, end="", file=sys.stderr if target == "STDERR" else sys.stdout, flush=True)
            else:
                with Path(target).open("a", encoding="utf-8") as file:
                    file.write(text)
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            if not self._is_broken:
                self._is_broken = True
                LOG.warning("The metrics file %s cannot be written (%s: %s). Everything else goes on.", target, type(error).__name__, gist(error))
