"""A file that text is appended to, whatever happens to it meanwhile."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

LOG = logging.getLogger(__name__)


class Appending:
    """Appends to a file, which is opened anew each time: one that was deleted is made again, and nothing is kept open.

    A file that can't be written is told of once, and tried again each time.
    """

    def __init__(self, path: Callable[[], str], setting: str) -> None:
        """Prepare; nothing is made before there is something to write.

        Args:
            path: Tells the file's path.
            setting: The setting that it comes from.
        """
        self._path, self._setting = path, setting
        self._lock = threading.Lock()
        self._told = False

    def append(self, text: str) -> None:
        """Append a piece of text, all of it or nothing."""
        data = text.encode(errors="backslashreplace")
        path = self._path()
        with self._lock:
            try:
                with Path(path).open("ab", buffering=0) as file:
                    put(file, data)
            except OSError as error:
                self._tell(path, error)

    def _tell(self, path: str, error: OSError) -> None:
        if not self._told:
            self._told = True
            LOG.warning("%s: %s cannot be written (%s). What happens meanwhile is not in it; all goes on.", self._setting, path, error.strerror or error)


def put(file: IO[bytes], data: bytes) -> None:
    """Write all of some data at the end of a file; if that fails, half a piece does not stay there.

    Raises:
        OSError: It can't be written.
    """
    start = file.tell() if file.seekable() else None  # a pipe, such as /dev/stdout may be, takes no piece back
    try:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]
    except OSError:
        if start is not None:
            with suppress(OSError):  # a device has no length
                file.truncate(start)
        raise
