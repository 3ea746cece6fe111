"""Times, sizes and numbers as X10's report writes them, and back.

X10 writes each part of a time but the last rounded, where the remainder is cut off: 1.7 s becomes ``02s700ms000.000us``, and sorted percentiles look out of
order. Here every part is cut off, so that the text is the time. Reports by X10 itself are read with its defect undone, once one of their times shows it.
"""

import re
from collections.abc import Callable, Mapping

from x10_jupyter.metrics.instruments import Kind

Number = int | float

PARTS = (("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000))
"""The parts of a time before the microseconds, in nanoseconds."""
TIME = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?(\d+)\.(\d{1,3})us")
SIZE = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(B|KB|MB|GB|TB|PB)")
SUFFIXES = ("B", "KB", "MB", "GB", "TB", "PB")
PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def time_text(ns: Number) -> str:
    """A time: ``746.001us``, ``001ms032.778us``, ``06m09s401ms746.001us``.

    Args:
        ns: Nanoseconds, from 0; what is less than one is cut off.
    """
    left, written = int(ns), ""
    for unit, size in PARTS:
        count, left = divmod(left, size)
        if count or written:
            written += f"{count:0{3 if unit == 'ms' else 2}d}{unit}"
    return f"{written}{left // 1000:03d}.{left % 1000:03d}us"


def size_text(count: Number) -> str:
    """A size in bytes: ``468.00MB``."""
    value, last = float(count), SUFFIXES[-1]
    for suffix in SUFFIXES:
        if value < 1024 or suffix == last:
            return f"{value:.2f}{suffix}"
        value /= 1024
    raise AssertionError  # pragma: no cover - the last suffix returns


def value_text(value: Number) -> str:
    """A plain number: ``4854.00``."""
    return f"{value:.2f}"


TEXTS: Mapping[Kind, Callable[[Number], str]] = {"time": time_text, "bytes": size_text, "value": value_text}


def kind_of(text: str) -> Kind | None:
    """What a value in a report is; None if it is none."""
    if TIME.fullmatch(text):
        return "time"
    return "bytes" if SIZE.fullmatch(text) else "value" if PLAIN.fullmatch(text) else None


def parts_of(text: str) -> list[int]:
    """The parts of a time, from days to nanoseconds below a millisecond.

    Raises:
        ValueError: It is no time.
    """
    found = TIME.fullmatch(text)
    if found is None:
        raise ValueError(text)
    *large, whole, fraction = found.groups()
    return [*[int(part or 0) for part in large], int(whole) * 1000 + int(fraction.ljust(3, "0"))]


def is_rounded(text: str) -> bool:
    """Whether a time has a part that can only have come about by rounding, such as 1,000 milliseconds or 60 seconds."""
    _, hours, minutes, seconds, ms, _ = parts_of(text)
    return hours > 23 or minutes > 59 or seconds > 59 or ms > 999


def time_of(text: str, *, rounded: bool = False) -> int:
    """Nanoseconds of a time.

    Args:
        text: As a report has it.
        rounded: Whether all its parts but the last are rounded. From the last part up, each remainder tells then whether the part before was rounded up.

    Raises:
        ValueError: It is no time.
    """
    *large, total = parts_of(text)
    for (_, size), count in zip(reversed(PARTS), reversed(large), strict=True):
        is_up = rounded and count > 0 and total * 2 > size
        total += (count - is_up) * size
    return total


def size_of(text: str) -> Number:
    """Bytes of a size.

    Raises:
        ValueError: It is no size.
    """
    found = SIZE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return whole(float(found[1]) * 1024 ** SUFFIXES.index(found[2]))


def value_of(text: str) -> Number:
    """A plain number.

    Raises:
        ValueError: It is none.
    """
    if not PLAIN.fullmatch(text):
        raise ValueError(text)
    return whole(float(text))


def whole(value: float) -> Number:
    """The same number, as a whole one if it is."""
    return int(value) if value.is_integer() else value
