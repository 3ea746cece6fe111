"""A program that JAX is about to make."""

import gc
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from listening import Heard
from signatures import function, signature
from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.observe import causes
from x10_jupyter.observe.arguments import Arguments, Aval, Row
from x10_jupyter.observe.making import Making, compiled_with, making, options, rows_of, weakly
from x10_jupyter.observe.staging import Staging
from x10_jupyter.observe.wrappers import Asked

X = np.ones(3, np.float32)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Making]]:
    """What is read of each call for which JAX compiles."""
    found: list[Making] = []

    def spy(*args: Any, **named: Any) -> Making:
        found.append(making(*args, **named))
        return found[-1]

    monkeypatch.setattr(causes, "making", spy)
    with Heard(Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())):
        yield found


def test_a_call_is_read_whole(made: list[Making]) -> None:
    f = jax.jit(lambda x, n: x * n * 0.3203125, static_argnums=1, donate_argnums=0)
    f(jnp.asarray(X), 2)
    signature = made[-1].signature
    assert (made[-1].is_traced, made[-1].is_ahead, signature.transform) == (True, False, "")
    assert [row.path for row in signature.rows] == ["x", "n"]
    assert dict(signature.options) == {"static_argnums": "(1,)", "donate_argnums": "(0,)"}
    assert (signature.given, signature.program, signature.by) == ((("x", "by position"), ("n", "by position")), (), ())
    assert signature.site is not None
    f.lower(jnp.ones(4), 2)
    assert made[-1].is_ahead


def test_under_a_transformation_it_has_the_program_and_by_what_it_is_transformed(made: list[Making]) -> None:
    jax.grad(jax.jit(lambda x, y: (x * y).sum() * 0.3359375), argnums=1)(X, X)
    signature = next(one.signature for one in reversed(made) if one.signature.transform)
    assert (signature.transform, signature.by) == ("grad", ("y",))
    assert (signature.program, signature.results[0]) == (("f32[3]", "f32[3]"), "f32[]")


def test_one_of_jaxs_own_is_told_as_users_write_it(made: list[Making]) -> None:
    jnp.sum(jnp.ones((3, 43), np.float32))
    assert (made[-1].function.name, dict(made[-1].names)) == ("jnp.sum", {"a": "a"})


def test_an_operation_has_what_it_is_bound_with(made: list[Making]) -> None:
    jnp.ones((3, 47))
    rows = {row.path: row.what for row in made[-1].signature.rows}
    assert getattr(rows["shape"], "text", "") == "(3, 47)"
    plain = Arguments((Row("a", Aval((3,), "float32", weak=False)),), (), ())
    assert rows_of(len, function(), plain) == plain.rows


def test_what_a_wrapper_was_told_stands_for_what_it_passes_on() -> None:
    info = SimpleNamespace()
    own, passed = options(Asked(len, (), {}), info), options(Asked(len, (), {}, options=(("in_axes", "0"),)), info)
    assert ("in_axes", "0") not in own
    assert passed[-1] == ("in_axes", "0")


def test_it_keeps_no_function_alive() -> None:
    class Callable:
        pass

    value = Callable()
    ref = weakly(value)
    assert ref() is value
    del value
    gc.collect()
    assert ref() is None
    assert weakly(3)() is None


def test_what_is_compiled_ahead_of_time_may_be_given_options() -> None:
    plain = Making((1,), function(), signature(options=(("inline", "True"),)), "", is_traced=False, is_ahead=True)
    assert compiled_with(plain, {}) is plain
    given = compiled_with(compiled_with(plain, {"b": 1}), {"d": 3, "c": 2})
    assert given.signature.options == (("inline", "True"), ("compiler_options", "{'c': 2, 'd': 3}"))
    assert plain.signature.options == (("inline", "True"),)
