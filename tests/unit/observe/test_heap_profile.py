import gc
import gzip
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from live import live_bytes
from x10_jupyter.observe.heap_profile import Allocated, HeapProfile, fields, numbers, varint


def profile() -> HeapProfile:
    return HeapProfile(jax.profiler.device_memory_profile())


def buffers() -> tuple[int, int]:
    """Bytes and number of what a profile has of arrays."""
    found = [one for one in profile().allocated if one.kind == "buffer"]
    return sum(one.size_bytes for one in found), sum(one.number for one in found)


def test_the_arrays_in_it_are_those_that_jax_has() -> None:
    gc.collect()
    (bytes_before, number_before), live_before = buffers(), live_bytes()
    kept = [jnp.ones((n, 8)) + n for n in range(1, 6)]
    jax.block_until_ready(kept)
    bytes_now, number_now = buffers()
    assert bytes_now - bytes_before == live_bytes() - live_before == sum(one.nbytes for one in kept)
    assert number_now - number_before == len(kept)


def test_a_stack_has_the_line_and_the_function_that_made_an_array() -> None:
    def make() -> Any:
        return jax.device_put(np.ones((1, 12_345), np.float32))

    made, found = make(), profile()
    (one,) = [one for one in found.allocated if one.size_bytes == made.nbytes]
    frames = [frame for frame in found.frames(one) if frame.file == __file__]
    line = make.__code__.co_firstlineno + 1
    assert [(frame.line, frame.function) for frame in frames[:2]] == [
        (line, "make"),
        (line + 2, "test_a_stack_has_the_line_and_the_function_that_made_an_array"),
    ]
    assert (one.device, one.number) == ("cpu:0", 1)


def message(*parts: tuple[int, int | bytes]) -> bytes:
    """A message of Protocol Buffers, written independently of what reads it."""
    made = b""
    for number, value in parts:
        made += varint(number << 3 | (0 if isinstance(value, int) else 2))
        made += varint(value) if isinstance(value, int) else varint(len(value)) + value
    return made


STRINGS = [(6, each) for each in (b"", b"kind", b"buffer", b"device", b"gpu:0", b"train.py", b"step", b"inlined")]
LABELS = [(3, message((1, 1), (2, 2))), (3, message((1, 3), (2, 4)))]
FUNCTIONS = [(5, message((1, 300), (2, 6), (4, 5))), (5, message((1, 2), (2, 7), (4, 5)))]
PLACES = [(4, message((1, 9), (4, message((1, 300), (2, 12))), (4, message((1, 2), (2, 3)))))]


def written(*parts: tuple[int, int | bytes]) -> HeapProfile:
    return HeapProfile(gzip.compress(message(*parts)))


@pytest.mark.parametrize("values", [[(2, message_part) for message_part in (3, 4_000)], [(2, varint(3) + varint(4_000))]], ids=["one by one", "packed"])
def test_numbers_are_read_however_they_are_written(values: list[tuple[int, int | bytes]]) -> None:
    found = written((2, message((1, 9), *values, *LABELS)), *PLACES, *FUNCTIONS, *STRINGS)
    assert found.allocated == [Allocated("buffer", "gpu:0", 3, 4_000, b"\x09")]
    assert [tuple(frame) for frame in found.frames(found.allocated[0])] == [("train.py", 12, "step"), ("train.py", 3, "inlined")]


@pytest.mark.parametrize(
    "bad",
    [b"", b"no profile", gzip.compress(b"\x12\x05\x08"), gzip.compress(b"\x0b"), gzip.compress(message((2, message((1, 9))))), gzip.compress(b"\x10")],
    ids=["nothing", "not compressed", "cut short", "of an unknown kind", "without values", "a number that is missing"],
)
def test_what_is_no_profile_is_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match="no profile in pprof's format"):
        HeapProfile(bad)


def test_a_stack_that_is_not_there_is_told_of() -> None:
    found = written((2, message((1, 77), (2, 1), (2, 8), *LABELS)), *PLACES, *FUNCTIONS, *STRINGS)
    with pytest.raises(ValueError, match="a stack in the profile cannot be read"):
        list(found.frames(found.allocated[0]))


def test_fields_of_other_widths_are_passed_over() -> None:
    assert list(fields(b"\x09" + b"\x01" * 8 + b"\x15" + b"\x02" * 4 + b"\x08\x05")) == [(1, b"\x01" * 8), (2, b"\x02" * 4), (1, 5)]


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_numbers_there_and_back(values: list[int]) -> None:
    assert numbers(b"".join(map(varint, values))) == values
