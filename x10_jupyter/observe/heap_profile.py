"""Reads a profile of the devices' memory, as JAX makes it: a `profile.proto` of pprof, compressed.

Of its messages only what is needed is read: ``Profile`` has ``Sample`` (2), ``Location`` (4), ``Function`` (5) and the table of strings (6). A sample is what a
stack allocated: the numbers of its locations (1), how many and how many bytes (2), and labels (3) with its kind and device.
"""

import gzip
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

SAMPLE, LOCATION, FUNCTION, STRING = 2, 4, 5, 6
"""Fields of a profile."""

VARINT, FIXED64, DELIMITED, FIXED32 = 0, 1, 2, 5
"""How a field is written."""


class Frame(NamedTuple):
    """A line of some code that was running."""

    file: str
    line: int
    function: str


class Allocated(NamedTuple):
    """What one stack has allocated on one device and is still there."""

    kind: str
    """``buffer`` for arrays, ``executable`` for programs; a newer JAX may have more."""

    device: str
    """As JAX names it: ``cpu:0``; empty for programs."""

    number: int
    """How many."""

    size_bytes: int
    """Their size; of a program 0 where the device does not tell it."""

    locations: bytes
    """The numbers of its frames, the innermost first, as they are written."""


class HeapProfile:
    """A profile that was taken, each part read when it is asked for."""

    def __init__(self, compressed: bytes) -> None:
        """Find the parts.

        Args:
            compressed: As JAX gives it.

        Raises:
            ValueError: It is no such profile.
        """
        try:
            self._parts: dict[int, list[bytes]] = {SAMPLE: [], LOCATION: [], FUNCTION: [], STRING: []}
            for field, value in fields(gzip.decompress(compressed)):
                if field in self._parts and isinstance(value, bytes):
                    self._parts[field].append(value)
            self.allocated = [self._sample(part) for part in self._parts[SAMPLE]]
            """Each stack's on each device, with the kind."""
        except (OSError, EOFError, IndexError, KeyError, UnicodeDecodeError) as error:
            raise ValueError(f"it is no profile in pprof's format: {error!r}") from error
        if not self._parts[STRING]:
            raise ValueError("it is no profile in pprof's format: it has no table of strings")

    def _text(self, index: int) -> str:
        return self._parts[STRING][index].decode()

    def _sample(self, message: bytes) -> Allocated:
        """Read a sample."""
        locations, values, labels = b"", list[int](), dict[str, str]()
        for field, value in fields(message):
            if field == 1:
                locations += value if isinstance(value, bytes) else varint(value)
            elif field == 2:
                values += numbers(value) if isinstance(value, bytes) else [value]
            elif field == 3 and isinstance(value, bytes):
                label = dict(fields(value))
                labels[self._text(whole(label.get(1)))] = self._text(whole(label.get(2)))
        if len(values) != 2:
            raise IndexError(f"a sample with {len(values)} values instead of number and bytes")
        number, size_bytes = values
        return Allocated(labels.get("kind", ""), labels.get("device", ""), number, size_bytes, locations)

    @cached_property
    def _locations(self) -> dict[int, bytes]:
        """The messages of locations, by number."""
        return {whole(next(value for field, value in fields(part) if field == 1)): part for part in self._parts[LOCATION]}

    @cached_property
    def _functions(self) -> dict[int, bytes]:
        """Those of functions."""
        return {whole(next(value for field, value in fields(part) if field == 1)): part for part in self._parts[FUNCTION]}

    def frames(self, allocated: Allocated) -> Iterator[Frame]:
        """The stack that allocated something, the innermost frame first.

        Raises:
            ValueError: The profile does not have them.
        """
        try:
            for number in numbers(allocated.locations):
                yield from self._frames_of(number)
        except (IndexError, KeyError, UnicodeDecodeError) as error:
            raise ValueError(f"a stack in the profile cannot be read: {error!r}") from error

    def _frames_of(self, number: int) -> Sequence[Frame]:
        """The frames of a location; several where functions are inlined."""
        if number not in self._known:
            self._known[number] = [self._frame(value) for field, value in fields(self._locations[number]) if field == 4 and isinstance(value, bytes)]
        return self._known[number]

    @cached_property
    def _known(self) -> dict[int, Sequence[Frame]]:
        """Frames that were read."""
        return {}

    def _frame(self, message: bytes) -> Frame:
        line = dict(fields(message))
        function = dict(fields(self._functions[whole(line.get(1))]))
        return Frame(file=self._text(whole(function.get(4))), line=whole(line.get(2)), function=self._text(whole(function.get(2))))


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message of Protocol Buffers, each with its number.

    Raises:
        IndexError: It is cut short, or none.
    """
    at, end = 0, len(message)
    while at < end:
        key = message[at]
        at += 1
        if key > 127:
            key, at = rest_of(message, at, key)
        how = key & 7
        if how not in (VARINT, DELIMITED):
            size = {FIXED64: 8, FIXED32: 4}.get(how)
            if size is None:
                raise IndexError(f"a field of an unknown kind, {how}")
            yield key >> 3, message[at : at + size]
            at += size
            continue
        value = message[at]
        at += 1
        if value > 127:
            value, at = rest_of(message, at, value)
        if how == DELIMITED:
            if at + value > end:
                raise IndexError("a message that is cut short")
            yield key >> 3, message[at : at + value]
            at += value
        else:
            yield key >> 3, value


def rest_of(message: bytes, at: int, first: int) -> tuple[int, int]:
    """A number of more than seven bits, and where it ends.

    Args:
        message: Where it stands.
        at: Its second byte.
        first: Its first one.
    """
    value, shift = first & 127, 7
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def numbers(packed: bytes) -> list[int]:
    """Numbers that are written one after the other."""
    found, at = list[int](), 0
    while at < len(packed):
        value = packed[at]
        at += 1
        if value > 127:
            value, at = rest_of(packed, at, value)
        found.append(value)
    return found


def varint(value: int) -> bytes:
    """A number as it is written among others."""
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def whole(value: int | bytes | None) -> int:
    """A field that is a number; 0 if it is not there, as the format has it."""
    return value if isinstance(value, int) else 0
