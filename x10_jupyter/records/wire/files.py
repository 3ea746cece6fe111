"""Captures as files."""

import json
import os
from pathlib import Path
from typing import TypeVar

from x10_jupyter.base.errors import UsageError, gist
from x10_jupyter.base.files import write_whole
from x10_jupyter.records.capture import Capture
from x10_jupyter.records.wire.document import document
from x10_jupyter.records.wire.embedded import chosen, documents
from x10_jupyter.records.wire.reading import capture

Made = TypeVar("Made", bound=Capture)

MOST_BYTES = 256 * 2**20
"""No file of a capture is larger."""


def write(made: Capture, path: str | os.PathLike[str]) -> None:
    """Write a capture to a file; one that is there is replaced when the new one is whole.

    Raises:
        UsageError: The file cannot be written.
    """
    write_whole(path, json.dumps(document(made), allow_nan=False, separators=(",", ":")) + "\n", what="A capture")


def read(path: str | os.PathLike[str], made: type[Made], which: str | int | None = None) -> Made:
    """The capture in a file: one of its own, a page with captures, or a notebook.

    Args:
        path: Where it is.
        made: The class to make it of.
        which: Of several captures the name of one, or its number from 1.

    Raises:
        UsageError: There is no such file, it holds no whole capture of a version that is known here, or it must be said which.
    """
    source = Path(path).expanduser()
    try:
        if source.stat().st_size > MOST_BYTES:
            raise UsageError("A file of a capture is smaller than 256 MiB", got=f"{source.stat().st_size:,} bytes", fix="Check the path.")
        data = source.read_bytes()
    except OSError as error:
        raise UsageError("A capture must be loaded from a file that can be read", got=str(path), fix=f"{gist(error)}. Check the path.") from error
    return capture(chosen(documents(data), which), made)
