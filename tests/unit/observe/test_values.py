"""Values as text and as evidence."""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.observe.values import MOST_LETTERS, evidence_of, parts_of, renewed, text_of


class Thing:
    pass


class Told:
    def __repr__(self) -> str:
        return "Told(\n  3)"


class Pair(NamedTuple):
    a: int
    b: str


@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    inner: Any = None


@dataclasses.dataclass(frozen=True)
class Alike:
    number: int

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("a\nb", "'a\\nb'"),
        (np.ones((2, 3), np.float32), "f32[2,3]"),
        (jnp.int32(4), "i32[]"),
        (np.int64(4), repr(np.int64(4))),
        (np.float32, "float32"),
        (jnp.dtype("bfloat16"), "bfloat16"),
        (text_of, "text_of"),
        (jax.nn.relu, "relu"),
        (functools.partial(text_of, depth=1), "text_of"),
        ((1,), "(1,)"),
        ([1, {"a": np.ones(2)}], "[1, {'a': f64[2]}]"),
        (list(range(20)), "list of 20"),
        (Thing(), "a Thing"),
        (Told(), "Told( 3)"),
        ([[[[1]]]], "[[[list of 1]]]"),
    ],
)
def test_a_value_is_told_in_a_line(value: object, text: str) -> None:
    assert text_of(value) == text


def test_text_has_an_end() -> None:
    assert len(text_of("x" * 10_000)) == MOST_LETTERS


def test_evidence_tells_apart_what_jax_tells_apart() -> None:
    assert evidence_of(-1) != evidence_of(-2)
    assert evidence_of(1) != evidence_of(True) != evidence_of(1.0)
    assert evidence_of((1, "a")) == evidence_of((1, "a")) != evidence_of((2, "a"))
    assert evidence_of(Config(1)) == evidence_of(Config(1)) != evidence_of(Config(2))
    kept = Thing(), Thing()
    assert evidence_of(kept[0]) == evidence_of(kept[0]) != evidence_of(kept[1])
    assert evidence_of([1]) != evidence_of(kept)
    assert evidence_of(np.int64(-1)) != evidence_of(np.int64(-2)) != evidence_of(-2)
    alike = Alike(1), Alike(2), Alike(1)
    assert evidence_of(alike[0]) == evidence_of(alike[2]) != evidence_of(alike[1])
    assert evidence_of((alike[0],)) != evidence_of((alike[1],))


def test_a_record_is_told_by_its_fields() -> None:
    assert parts_of(Config(8, Thing())) == ((".width", "8"), (".inner", "a Thing"))
    assert parts_of(Pair(1, "x")) == ((".a", "1"), (".b", "'x'"))
    assert parts_of(Config) == parts_of(3) == parts_of((1, 2)) == ()


def test_a_new_value_that_reads_as_the_old_one_is_another() -> None:
    assert (renewed("1", "2"), renewed("a Model", "a Model")) == ("2", "another Model")
