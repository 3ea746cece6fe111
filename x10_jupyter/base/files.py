"""Files that are whole or not there."""

import os
from contextlib import suppress
from pathlib import Path

from x10_jupyter.base.errors import UsageError, gist


def write_whole(path: str | os.PathLike[str], text: str, *, what: str) -> Path:
    """Write a file; one that is there is replaced when the new one is whole.

    Args:
        path: Where; may begin with ``~``.
        text: What; what UTF-8 cannot express, such as half a surrogate pair, is replaced.
        what: What it is, to begin a sentence with.

    Returns:
        Where it is.

    Raises:
        UsageError: The file cannot be written; one that was there is as it was.
    """
    beside: Path | None = None
    try:
        target = Path(path).expanduser()
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        beside.replace(target)
    except (OSError, ValueError, RuntimeError) as error:  # a path can be no path, or name a user there is not
        if beside is not None:
            with suppress(OSError, ValueError):
                beside.unlink(missing_ok=True)
        said = error.strerror if isinstance(error, OSError) else None
        fix = f"{said or gist(error)}. Choose another path; nothing is lost."
        raise UsageError(f"{what} must be saved to a file that can be written", got=str(path), fix=fix) from error
    return target
