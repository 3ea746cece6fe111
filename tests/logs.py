"""A script's trace log, as a user gets it, with what differs from run to run masked."""

import re
import threading
from typing import Any

FILE = "/home/me/train.py"
MASKS = (
    (re.compile(r"(?<=[(:] )?\b[0-9a-f]{28,32}\b"), "HASH"),
    (re.compile(r"\b(train|module|pick)_\d+\b"), r"\1_N"),
    (re.compile(r"(compiled|read from the persistent cache) in [\d.]+ \S+"), r"\1 in TIME"),
)


def run_script(source: str, names: dict[str, Any], file: str = FILE) -> None:
    """Run source as a file of the user's, with nothing of theirs around it: in a thread of its own, as tests are the user's code, too.

    Args:
        source: What to run.
        names: Its globals; holds what it defined afterwards.
        file: What its file is called.
    """
    errors: list[BaseException] = []

    def hook(args: Any) -> None:
        errors.append(args.exc_value)

    kept, threading.excepthook = threading.excepthook, hook
    try:
        thread = threading.Thread(target=exec, args=(compile(source, file, "exec"), names))
        thread.start()
        thread.join()
    finally:
        threading.excepthook = kept
    if errors:
        raise errors[0]


def masked(text: str) -> str:
    """A log without what differs from run to run: hashes, which are JAX's text's, the numbers of programs, and times."""
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text
