"""What functions read from around them is noted without keeping it alive, and without running the user's code."""

import functools
import gc
import types
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.observe.layers import layers_of
from x10_jupyter.observe.reads import MOST_READ, Objects, Read, read_of, reads_of


def told(source: str, **names: Any) -> dict[str, Read]:
    """What a function of a cell reads."""
    held: dict[str, Any] = {"__name__": "__main__", "jax": jax, **names}
    exec(source, held)  # the source is the test's
    return dict(reads_of(list(layers_of(held["f"]))))


class Rough:
    """Its code must not run."""

    rate = 1

    def __init__(self) -> None:
        self.parts = [self]

    def __repr__(self) -> str:
        raise AssertionError

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __hash__(self) -> int:
        raise AssertionError


def test_globals_are_told_as_they_are_read() -> None:
    cfg = types.SimpleNamespace(rate=0.1, inner={"n": 3})
    found = told("def f(a): return a * K * cfg.rate * cfg.inner['n'] * jax.numpy.pi * len(a) * missing", K=3, cfg=cfg)
    assert {name: read.text for name, read in found.items()} == {"K": "3", "cfg.rate": "0.1", "cfg.inner['n']": "3"}


def test_what_a_helper_reads_is_read_too() -> None:
    found = told("def h(a): return a * K\ndef g(a): return h(a)\n@jax.jit\ndef w(a): return g(a)\ndef f(a): return w(a)", K=3)
    assert list(found) == ["w", "g", "h"], "no deeper than three functions"
    assert found["g"].is_code
    assert told("def g(a): return a * K\ndef f(a): return g(a)", K=3)["K"].text == "3"


def test_what_a_helper_was_made_with_is_read() -> None:
    made = "def make(k):\n    def g(a): return a * k\n    return g\ng = make({})\ndef f(a): return g(a)"
    one, other = told(made.format(1)), told(made.format(2))
    assert one["g"] == other["g"]
    assert (one["k"].text, other["k"].text) == ("1", "2")


def cls(number: int) -> Any:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(f"class C:\n    def f(self): return {number}\n", names)  # the source is here
    return names["C"]


def scaled(rate: float, a: Any) -> Any:
    return a * rate


ONE, SMALL, LARGE = jnp.ones(3), np.arange(3), np.arange(9999)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (1, 1, True),
        (1, True, False),
        ("a", "b", False),
        ("a" * 9999, "a" * 9999, True),
        (ONE, ONE, True),
        (ONE, jnp.ones(3), False),
        (SMALL, SMALL + 0, True),
        (SMALL, SMALL + 1, False),
        (LARGE, LARGE + 0, False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1]}, {"a": [2]}, False),
        ({"a": 1}, {"b": 1}, False),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=1), True),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2), False),
        (cls(1), cls(1), True),
        (cls(1), cls(2), False),
        (functools.partial(scaled, 1), functools.partial(scaled, 1), True),
        (functools.partial(scaled, 1), functools.partial(scaled, 2), False),
        (jax.vmap(jnp.sin), jax.vmap(jnp.sin), False),
    ],
)
def test_values_are_the_same_if_they_would_make_the_same_program(one: Any, other: Any, is_same: bool) -> None:
    a, b = read_of(one), read_of(other)
    assert a.evidence is not None
    assert b.evidence is not None
    assert (a.evidence == b.evidence) is is_same


@pytest.mark.parametrize("value", [jax, len, int, jnp.sin, list(range(99)), [[[1]]]])
def test_what_lasts_or_is_too_much_is_not_noted(value: Any) -> None:
    evidence = read_of(value).evidence
    assert evidence is None or "None" in str(evidence)


def test_little_is_noted_of_much() -> None:
    names = {f"k{at}": at for at in range(2 * MOST_READ)}
    assert len(told(f"def f(a): return ({', '.join(names)})", **names)) == MOST_READ


def test_no_code_of_the_users_runs() -> None:
    found = told("def f(a): return rough * rough.parts + rough.method(a)", rough=Rough())
    assert [(name, read.text) for name, read in found.items()] == [("rough", "a Rough"), ("rough.parts", "a list")]


def test_nothing_is_kept_alive() -> None:
    array = np.arange(9999.0)
    ref = weakref.ref(array)
    found = read_of([array])
    del array
    gc.collect()
    assert ref() is None
    assert found.evidence is not None


def test_another_object_is_another_one_where_one_lay() -> None:
    objects, kept = Objects(), Rough()
    first = objects.number_of(kept)
    assert objects.number_of(kept) == first
    assert len({objects.number_of(Rough()) for _ in range(9)} - {first}) == 9
    assert objects.number_of(object()) is None
