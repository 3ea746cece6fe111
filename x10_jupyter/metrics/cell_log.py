"""A logger whose messages appear in the cell: X10's went to the native stream of errors, where no notebook looks."""

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

LOGGER = logging.getLogger("x10_jupyter.metrics")
TURN = Lock()


class CellHandler(logging.StreamHandler[TextIO]):
    """Writes to ``sys.stderr`` as it is at that moment, which a notebook shows below the cell."""

    def __init__(self) -> None:
        """Write the message as it is, over several lines."""
        super().__init__(sys.stderr)
        self.setFormatter(logging.Formatter("%(message)s"))


@contextmanager
def appearing() -> Generator[logging.Logger]:
    """While the block runs, messages from INFO on appear, unless the user's own configuration says otherwise; then that decides, and where they go."""
    with TURN:
        handler = None if LOGGER.hasHandlers() else CellHandler()
        level = LOGGER.level
        if level == logging.NOTSET and logging.getLogger("x10_jupyter").level == logging.NOTSET:
            LOGGER.setLevel(logging.INFO)
        if handler is not None:
            LOGGER.addHandler(handler)
        try:
            yield LOGGER
        finally:
            if handler is not None:
                LOGGER.removeHandler(handler)
            LOGGER.setLevel(level)


def log(report: str) -> None:
    """Log a report as X10 does."""
    with appearing() as logger:
        logger.info("Metrics:\n%s", report)
