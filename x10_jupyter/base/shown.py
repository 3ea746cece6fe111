"""Loggers whose messages the user sees: under the cell, or on the terminal. In X10 a notebook showed none, since they went past Python."""

import logging
import sys


class Shown(logging.Handler):
    """Writes messages to what is the standard error stream at the time, unless the user has set up logging, which takes them anyway."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one message; one that can't be written is lost."""
        if logging.getLogger().handlers:
            return
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except Exception:  # noqa: BLE001 - as logging has it, whatever goes wrong with a message stays there
            self.handleError(record)


def shown(name: str) -> logging.Logger:
    """The logger of a name, with messages from INFO on shown to the user.

    Args:
        name: The module's name.
    """
    logger = logging.getLogger(name)
    if not any(isinstance(handler, Shown) for handler in logger.handlers):
        logger.addHandler(Shown())
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    return logger
