import base64
import json
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from x10_jupyter.base.errors import UsageError
from x10_jupyter.records.wire.columns import Budget, column, damaged, distinct, numbers, packed, packed_json, parsed, unpacked, unpacked_json, whole_number

WHOLE = st.integers(-(2**63), 2**63 - 1)


def budget() -> Budget:
    return Budget(10_000, 1_000_000)


def through(made: Any) -> Any:
    """As it is after it was written and read."""
    return json.loads(json.dumps(made))


@given(st.lists(st.one_of(st.integers(-200, 200), WHOLE), max_size=80))
def test_numbers_come_back_packed_or_not(values: list[int]) -> None:
    assert list(unpacked(through(packed(values)), len(values), budget())) == values


@given(st.lists(st.tuples(st.one_of(st.none(), WHOLE), WHOLE), max_size=60), st.sampled_from(["plain", "delta", "after"]))
def test_a_column_of_numbers_comes_back_in_each_code(rows: list[tuple[int | None, int]], code: str) -> None:
    values, starts = [value for value, _ in rows], [start for _, start in rows]
    made = through(numbers(values, code, starts))
    assert column(made, len(rows), lambda found: found, starts, budget()) == values


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(-1, 1), st.text(max_size=3), st.lists(st.integers(0, 3), max_size=2)), max_size=60))
def test_a_column_of_distinct_values_comes_back_and_has_each_once(values: list[Any]) -> None:
    made = through(distinct(values, lambda value: value))
    found = column(made, len(values), lambda value: value, (), budget())
    assert [(type(each), each) for each in found] == [(type(each), each) for each in values]
    each = [json.dumps(value) for value in unpacked_json(made["distinct"], budget())]
    assert len(each) == len(set(each)) == len({json.dumps(value) for value in values})


def test_few_numbers_are_a_list_and_many_are_as_wide_as_the_widest() -> None:
    assert packed([1, 2, 3]) == [1, 2, 3]
    assert [packed([high] * 100)["bytes"] for high in (127, 128, -129, 32_768, 2**31, -(2**63))] == [1, 2, 2, 4, 8, 8]


def test_the_bytes_are_what_the_format_says() -> None:
    found = packed([1, 2, 300] * 10)
    data = zlib.decompress(base64.b64decode(found["packed"]))
    assert (found["bytes"], data) == (2, bytes([1, 2, 44] * 10 + [0, 0, 1] * 10))


def test_long_json_is_packed_and_comes_back() -> None:
    value = ["ü\ud800\U0001f600" * 300, {"a": [None, True]}]
    made = through(packed_json(value))
    assert set(made) == {"json", "length"}
    assert unpacked_json(made, budget()) == value
    assert packed_json(["x"]) == ["x"]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([1, 2], "must have 3 numbers"),
        ("text", "must have 3 numbers"),
        ([1, 2, True], "64 bits; got True"),
        ([1, 2, 1.5], "64 bits; got 1.5"),
        ([1, 2, 10**5000], "got a number of 16610 bits"),
        ({"bytes": 3, "packed": ""}, "1, 2, 4 or 8 bytes; got 3"),
        ({"bytes": True, "packed": ""}, "1, 2, 4 or 8 bytes; got True"),
        ({"bytes": 1, "packed": 5}, "must be text"),
        ({"bytes": 1, "packed": "%%"}, "cannot be unpacked"),
        ({"bytes": 1, "packed": base64.b64encode(b"no zlib").decode()}, "cannot be unpacked"),
        ({"bytes": 1, "packed": base64.b64encode(zlib.compress(b"12")).decode()}, "another length"),
        ({"bytes": 1, "packed": base64.b64encode(zlib.compress(b"1234")).decode()}, "another length"),
        ({"bytes": 1, "packed": base64.b64encode(zlib.compress(b"123")[:-6]).decode()}, "another length|cannot be unpacked"),
    ],
)
def test_damaged_numbers_are_refused(found: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        unpacked(found, 3, budget())


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([1], "must be an object"),
        ({"code": "odd", "values": [1]}, "code that is not known; got 'odd'"),
        ({"code": "after", "values": [1]}, "code that is not known"),
        ({"code": "distinct", "distinct": {}, "values": [0]}, "length|whole number"),
        ({"code": "distinct", "distinct": "x", "values": [0]}, "must be a list"),
        ({"code": "distinct", "distinct": ["x"], "values": [1]}, "not there; got 1 of 1"),
        ({"code": "distinct", "distinct": ["x"], "values": [-1]}, "not there"),
        ({"code": "plain", "values": [1], "null": []}, "must have 1 numbers"),
    ],
)
def test_damaged_columns_are_refused(found: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        column(found, 1, lambda value: value, (), budget())


def test_a_bomb_is_refused_before_it_is_unfolded() -> None:
    bomb = base64.b64encode(zlib.compress(bytes(50_000_000))).decode()
    with pytest.raises(UsageError, match="more bytes than any capture"):
        unpacked({"bytes": 8, "packed": bomb}, 50_000_000, budget())
    with pytest.raises(UsageError, match="another length"):
        unpacked({"bytes": 1, "packed": bomb}, 100, budget())
    with pytest.raises(UsageError, match="more bytes"):
        unpacked_json({"json": bomb, "length": 50_000_000}, budget())
    with pytest.raises(UsageError, match="more rows"):
        budget().take_rows(10_001)


@pytest.mark.parametrize("text", [b"", b"[1, 2", b"NaN", b"-Infinity", b"[1.5]", b"[1e999]", b"\xff\xfe", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_json_of_whole_numbers_is_refused(text: bytes) -> None:
    with pytest.raises(UsageError, match="cut short, or is not JSON"):
        parsed(text)


def test_a_length_is_not_negative_and_a_number_fits() -> None:
    with pytest.raises(UsageError, match="must not be negative"):
        unpacked_json({"json": "", "length": -1}, budget())
    assert whole_number(2**63 - 1) == 2**63 - 1
    with pytest.raises(UsageError, match="64 bits"):
        whole_number(2**63)


def test_the_error_says_what_to_do() -> None:
    assert str(damaged("A thing is missing")).startswith("This is not a whole capture: a thing is missing.")
