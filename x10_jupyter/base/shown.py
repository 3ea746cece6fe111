"""Messages that the user sees: under the cell, or on the terminal. In X10 a notebook showed none, since they went past Python."""

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import TextIO

TURN = Lock()


class Shown(logging.StreamHandler[TextIO]):
    """Writes messages as they are, over several lines."""

    def __init__(self) -> None:
        """Write to what shows messages at this moment."""
        super().__init__(stream())
        self.setFormatter(logging.Formatter("%(message)s"))


def stream() -> TextIO:
    """The standard error stream; in a notebook the other one, since there errors stand on red."""
    return sys.stdout if hasattr(sys.stdout, "pub_thread") else sys.stderr


@contextmanager
def shown(name: str) -> Generator[logging.Logger]:
    """A logger whose messages from INFO on are shown while the block runs, unless the user has configured logging; then that decides, and where they go.

    Args:
        name: The logger's name.
    """
    logger = logging.getLogger(name)
    with TURN:
        handler = None if logger.hasHandlers() else Shown()
        level = logger.level
        if level == logging.NOTSET and logging.getLogger("x10_jupyter").level == logging.NOTSET:
            logger.setLevel(logging.INFO)
        if handler is not None:
            logger.addHandler(handler)
        try:
            yield logger
        finally:
            if handler is not None:
                logger.removeHandler(handler)
            logger.setLevel(level)
