"""Where storage is narrow, programs say what they say elsewhere; whole numbers that fit come out the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import jax
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import x10_jupyter as x10
from property import test_programs
from property.sameness import kind_of
from property.test_programs import random_program


def fits(number: Any) -> bool:
    return isinstance(number, float | complex | np.inexact) or abs(int(number)) < 1 << 31


@contextmanager
def only_numbers_that_fit() -> Iterator[None]:
    numbers, scalars = list(filter(fits, test_programs.NUMBERS)), list(filter(fits, test_programs.SCALARS))
    with patch.object(test_programs, "NUMBERS", numbers), patch.object(test_programs, "SCALARS", scalars):
        yield


def kinds_differ(ours: Any, expected: Any, *, exact: bool) -> str:
    """How shapes and dtypes differ: values are rounded otherwise."""
    pairs = zip(*map(jax.tree.leaves, (ours, expected)), strict=True)
    return "".join(f"{kind_of(a)}, not {kind_of(b)}" for a, b in pairs if isinstance(b, jax.Array) and kind_of(a) != kind_of(b))


@given(rng=st.randoms(use_true_random=False))
def test_any_program_is_what_jax_computes_with_64_bits(rng: Any):
    with jax.enable_x64(True), x10.config(use_32bit_long=True), only_numbers_that_fit():
        random_program(rng)


@given(rng=st.randoms(use_true_random=False))
def test_any_program_says_the_shapes_and_dtypes_that_it_would_say_in_full(rng: Any):
    with x10.config(use_bf16=True), patch.object(test_programs, "difference", kinds_differ):
        random_program(rng)
