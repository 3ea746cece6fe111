"""Columns of whole numbers and of repeated values as compact JSON, and back without trusting what is read."""

import base64
import binascii
import json
import sys
import zlib
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import sub
from typing import Any

from x10_jupyter.base.errors import UsageError

SHORT = 24
"""So many numbers are left as a list; compressed they would be no shorter."""
SHORT_JSON = 512
"""So many characters of JSON are left as they are."""
CODES = {1: "b", 2: "h", 4: "i", 8: "q"}
"""`array`'s name for signed integers, by their size in bytes."""
LARGEST = 2**63
"""No number of a record reaches it."""
Json = Any
"""What `json` makes or takes; what comes from a file is anything until it has been looked at."""


class Budget:
    """How much more a document may unfold to: a small file may claim to be endless."""

    def __init__(self, rows: int, size_bytes: int) -> None:
        """Begin with all of it.

        Args:
            rows: Rows of all tables together.
            size_bytes: Bytes of all that is compressed.
        """
        self.rows, self.size_bytes = rows, size_bytes

    def take_rows(self, rows: int) -> None:
        """Spend rows.

        Raises:
            UsageError: That is more than is left.
        """
        self.rows -= rows
        if self.rows < 0:
            raise damaged("It has more rows than any capture", rows)

    def inflated(self, text: Json, length: int) -> bytes:
        """Undo base64 and zlib.

        Args:
            text: What is packed.
            length: How many bytes it has to be.

        Raises:
            UsageError: It is not, or is more than is left.
        """
        self.size_bytes -= length
        if self.size_bytes < 0:
            raise damaged("It unfolds to more bytes than any capture", length)
        if not isinstance(text, str):
            raise damaged("What is packed must be text", type(text).__name__)
        try:
            unpacking = zlib.decompressobj()
            found = unpacking.decompress(base64.b64decode(text, validate=True), length + 1)
        except (binascii.Error, zlib.error, ValueError) as error:
            raise damaged("A packed column cannot be unpacked", str(error)) from error
        if len(found) != length:
            raise damaged("A packed column has another length than it says", f"{length:,} bytes")
        return found


def damaged(what: str, got: object = None) -> UsageError:
    """The error for a document that is not what it should be."""
    return UsageError(f"This is not a whole capture: {what[0].lower()}{what[1:]}", got=got, fix="Save the capture again with `Capture.to_json`.")


def packed(values: Sequence[int]) -> Json:
    """Whole numbers as JSON: a list, or bytes if that is shorter."""
    if len(values) <= SHORT:
        return list(values)
    low, high = min(values), max(values)
    width = next((width for width in CODES if -(1 << 8 * width - 1) <= low and high < 1 << 8 * width - 1), None)
    if width is None:
        return list(values)
    raw = array(CODES[width], values)
    if sys.byteorder == "big":  # pragma: no cover - no such machine runs JAX
        raw.byteswap()
    data = raw.tobytes()
    return {"bytes": width, "packed": deflated(b"".join(data[at::width] for at in range(width)))}


def deflated(data: bytes) -> str:
    """Compressed and as text."""
    return base64.b64encode(zlib.compress(data, 6)).decode()


def unpacked(found: Json, rows: int, budget: Budget) -> Sequence[int]:
    """The whole numbers again.

    Args:
        found: What `packed` made.
        rows: How many they have to be.
        budget: Is spent on it.

    Raises:
        UsageError: They are not, or it is damaged.
    """
    if found.__class__ is dict:
        width: Json = found.get("bytes")
        if width.__class__ is not int or width not in CODES:
            raise damaged("Packed numbers must have 1, 2, 4 or 8 bytes", width)
        data = budget.inflated(found.get("packed"), width * rows)
        whole = bytearray(len(data))
        for at in range(width):
            whole[at::width] = data[at * rows : (at + 1) * rows]
        values: array[int] = array(CODES[width])
        values.frombytes(whole)
        if sys.byteorder == "big":  # pragma: no cover - as above
            values.byteswap()
        return values
    if found.__class__ is not list or len(found) != rows:
        raise damaged(f"A column must have {rows:,} numbers", shown(found))
    return [whole_number(each, most=2 * LARGEST) for each in found]  # the difference of two numbers may have a bit more


def whole_number(found: Json, most: int = LARGEST) -> int:
    """A number of a record.

    Args:
        found: What has to be one.
        most: What it has to stay below.

    Raises:
        UsageError: It is none, or none that a record could have.
    """
    if found.__class__ is not int or not -most <= found < most:
        raise damaged("There must be a whole number of 64 bits", shown(found))
    return found


def shown(found: Json) -> str:
    """A value of a document, for a message."""
    if found.__class__ is int and not -LARGEST <= found < LARGEST:
        return f"a number of {found.bit_length()} bits"  # its digits may be too many for Python to write
    text = f"{found.__class__.__name__} of {len(found)}" if found.__class__ in (list, dict) else repr(found)
    return text if len(text) <= 60 else f"{text[:60]}…"


def numbers(values: Sequence[int | None], code: str = "plain", starts: Sequence[int] = ()) -> Json:
    """A column of whole numbers, some of which may be None.

    Args:
        values: One a row.
        code: ``plain``, ``delta`` or ``after``.
        starts: With ``after``, what each is counted from.
    """
    is_null = [value is None for value in values]
    whole = [value or 0 for value in values]
    coded = whole if code == "plain" else [*whole[:1], *map(sub, whole[1:], whole)] if code == "delta" else list(map(sub, whole, starts))
    found: Json = {"code": code, "values": packed(coded)}
    return {**found, "null": packed([int(each) for each in is_null])} if any(is_null) else found


def distinct(values: Sequence[Any], encode: Callable[[Any], Json]) -> Json:
    """A column of any values, each once.

    Args:
        values: One a row.
        encode: Makes JSON of one; values with the same JSON count as the same.
    """
    seen: dict[int, int] = {}
    texts: dict[str, int] = {}
    known: dict[str, int] = {}
    each: list[Json] = []

    def place(value: Any) -> int:  # noqa: ANN401 - a field has any type
        if value.__class__ is str and value in texts:
            return texts[value]
        coded = encode(value)
        at = known.setdefault(json.dumps(coded), len(each))
        if at == len(each):
            each.append(coded)
        if value.__class__ is str:
            texts[value] = at
        return at

    rows: list[int] = []
    for value in values:
        at = seen.get(id(value))
        if at is None:
            at = seen[id(value)] = place(value)
        rows.append(at)
    return {"code": "distinct", "distinct": packed_json(each), "values": packed(rows)}


def packed_json(value: Json) -> Json:
    """JSON as it is, or compressed if it is long."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return value if len(text) <= SHORT_JSON else {"json": deflated(text.encode()), "length": len(text)}


def unpacked_json(found: Json, budget: Budget) -> Json:
    """The JSON again.

    Raises:
        UsageError: It is damaged.
    """
    return parsed(budget.inflated(found.get("json"), natural(found.get("length")))) if found.__class__ is dict else found


def natural(found: Json) -> int:
    """A number of rows or bytes.

    Raises:
        UsageError: It is none.
    """
    if whole_number(found) < 0:
        raise damaged("A length must not be negative", found)
    return found


def parsed(text: bytes) -> Json:
    """JSON of a text.

    Raises:
        UsageError: It is none; ``NaN`` and ``Infinity`` are none, and a number with a point is none that a record could have.
    """
    try:
        return json.loads(text, parse_constant=refused, parse_float=refused)
    except (ValueError, RecursionError) as error:
        raise damaged("It is cut short, or is not JSON", str(error) or type(error).__name__) from error


def refused(text: str) -> Json:
    """Refuse a number that is not whole."""
    raise ValueError(f"a number is {text[:40]}")


Decode = Callable[[Json], Any]
"""Makes a value of its JSON."""


def column(found: Json, rows: int, decode: Decode, starts: Sequence[int], budget: Budget) -> list[Any]:
    """The values of a column.

    Args:
        found: What `numbers` or `distinct` made.
        rows: How many there have to be.
        decode: Makes a field's value of JSON.
        starts: ``start_ns`` of each row, for ``after``.
        budget: Is spent on it.

    Raises:
        UsageError: It is damaged.
    """
    if found.__class__ is not dict:
        raise damaged("A column must be an object", shown(found))
    code, values = found.get("code"), unpacked(found.get("values"), rows, budget)
    if code == "distinct":
        return picked(unpacked_json(found.get("distinct"), budget), values, decode)
    if code == "delta":
        values = list(accumulate(values))
    elif code == "after" and len(starts) == rows:
        values = [value + start for value, start in zip(values, starts, strict=True)]
    elif code != "plain":
        raise damaged("A column has a code that is not known", shown(code))
    nulls = unpacked(found["null"], rows, budget) if "null" in found else ()
    if any(nulls):
        return [decode(None if is_null else value) for value, is_null in zip(values, nulls, strict=True)]
    return [decode(value) for value in values]


def picked(each: Json, rows: Sequence[int], decode: Decode) -> list[Any]:
    """For each row its value among the distinct ones.

    Raises:
        UsageError: It is not there.
    """
    if each.__class__ is not list:
        raise damaged("Distinct values must be a list", shown(each))
    made = [decode(value) for value in each]
    if rows and not 0 <= min(rows) <= max(rows) < len(made):
        raise damaged("A row refers to a value that is not there", f"{max(rows)} of {len(made)}")
    return [made[at] for at in rows]
