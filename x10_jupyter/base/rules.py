"""What the values of settings may be: for each kind a rule that reads what a user or the environment gives, and writes it as they would."""

from collections.abc import Callable
from math import isfinite
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex


class Rule(NamedTuple):
    """What a setting may be."""

    says: str
    """In words, after "must be"."""

    read: Callable[[object], object]
    """Makes a value of what a user or the environment gives; raises ValueError or TypeError if that is none."""

    example: str = ""
    """A value to show where the default shows nothing."""

    words: tuple[str, ...] = ()
    """Values to choose from, as a user writes them; empty when there is no end of them."""

    write: Callable[[Any], str] = str
    """A value as a user would write it."""


def whole_number(given: object) -> int:
    """A whole number above zero."""
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    if isinstance(number, bool) or not isinstance(number, SupportsIndex) or index(number) < 1:
        raise ValueError(given)
    return index(number)


WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def switch(given: object) -> bool:
    """On or off, as a truth value, a word or a number: as in X10, every number but 0 is on. What is neither X10 took for off; here it is refused."""
    if isinstance(given, str):
        word = given.strip().lower()
        return WORDS[word] if word in WORDS else int(word) != 0
    if not isinstance(given, SupportsIndex):
        raise TypeError(given)
    return index(given) != 0


def folder(given: object) -> str | None:
    """A folder, which need not exist; None or nothing for none. What has a protocol, such as ``gs://``, stays as it is."""
    path = str(given) if isinstance(given, Path) else given
    if not isinstance(path, str | None):
        raise TypeError(given)
    return None if not path or path == "None" else path if "://" in path else str(Path(path).expanduser().absolute())


STREAMS = ("STDERR", "STDOUT")
"""What may stand for a file, as in PyTorch/XLA."""


def file_or_stream(given: object) -> str | None:
    """A file, which need not exist, or the name of one of the process's streams; None or nothing for none."""
    return given if isinstance(given, str) and given in STREAMS else folder(given)


def seconds(given: object) -> float | None:
    """A time in seconds, from zero; None or nothing for none."""
    if given is None or given in {"", "None"}:
        return None
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise TypeError(given)
    found = float(given)
    if not isfinite(found) or found < 0:
        raise ValueError(given)
    return found


def fractions(given: object) -> tuple[float, ...]:
    """Numbers above 0 and below 1, each once, in order; as text with colons between them."""
    parts: Any = given.split(":") if isinstance(given, str) else given
    found = set(map(float, parts))
    if not found or not all(0 < each < 1 for each in found):
        raise ValueError(given)
    return tuple(sorted(found))


def with_colons(values: tuple[float, ...]) -> str:
    """Numbers as `fractions` reads them."""
    return ":".join(map(repr, values))


def one_of(*words: str) -> Rule:
    """One of several words."""

    def read(given: object) -> str:
        word = given.strip().lower() if isinstance(given, str) else given
        if word not in words:
            raise ValueError(given)
        return str(word)

    return Rule(f"one of {', '.join(words)}", read, words=words)


WHOLE_NUMBER = Rule("a whole number above zero", whole_number)
SWITCH = Rule("on or off (True or False, 1 or 0)", switch, words=("1", "0"))
FOLDER = Rule("the path of a folder, or None", folder, example="/tmp/programs")
FILE = Rule("the path of a file, or None", folder, example="/tmp/x10.log")
FILE_OR_STREAM = Rule("the path of a file, STDERR, STDOUT, or None", file_or_stream, example="/tmp/metrics.txt", words=STREAMS)
SECONDS = Rule("a number of seconds from zero, or None", seconds, example="30")
FRACTIONS = Rule("numbers above 0 and below 1 with colons between them", fractions, write=with_colons)
