"""By what JAX knows a value again."""

import functools
from dataclasses import dataclass
from typing import Any

import jax
import optax
import pytest

from x10_jupyter.observe.identity import known_by, made


class Plain:
    def method(self) -> None: ...


@dataclass(frozen=True)
class Record:
    act: Any


@pytest.mark.parametrize(
    ("value", "by", "name"),
    [
        (1, "value", ""),
        ("relu", "value", ""),
        ((1, 2), "value", ""),
        (Record("relu"), "value", ""),
        (float, "function", "float"),
        (Record, "function", "Record"),
        ((float, int), "value", ""),
        (Plain(), "identity", ""),
        (Record(jax.nn.relu), "functions", ""),
        ((1, len), "functions", ""),
        (optax.adam(0.1), "functions", ""),
        (len, "function", "len"),
        (lambda a: a, "function", "lambda …"),
        (functools.partial(len), "function", "functools.partial(len)"),
        (Plain().method, "function", "Plain(…).method"),
    ],
)
def test_by_what_a_value_is_known_and_what_made_it(value: Any, by: str, name: str) -> None:
    assert (known_by(value), made(value)) == (by, name)
