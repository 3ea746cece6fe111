"""Which numbers are parameters and which are static, as seen from what is compiled again."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import compiles
from x10_jupyter.lazy.avals import aval_of
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.op import Call, Op, specialise
from x10_jupyter.lazy.statics import choose, primitives

xnp = x10.numpy
F32 = aval_of((3,), np.dtype("float32"))


def op_of(fn: Callable[..., Any], *kinds: type) -> Op:
    return specialise(Call("f", fn, key=fn, numbers=kinds), (F32,), current())


def test_primitives_are_counted_through_inner_programs_without_what_only_moves() -> None:
    @jax.jit
    def inner(x: Any) -> Any:
        return jnp.sin(x) * 2

    assert primitives(op_of(lambda x: inner(x) + inner(x).astype(jnp.float16))) == {"sin": 2, "mul": 2, "add": 1}


@pytest.mark.parametrize(
    ("fn", "numbers", "follows_values", "expected"),
    [
        (lambda x, a, b: x * a + b, (2.0, 3.0), True, set()),
        (lambda x, a, b: x.reshape(a, b), (3, 1), True, {0, 1}),
        (lambda x, a, b: jnp.repeat(x, a, total_repeat_length=9) * b, (3, 2.0), False, set()),
        (lambda x, a, b: x**a * b, (2, 3.0), True, {0}),
        (lambda x, a, b: x**a * b, (2, 3.0), False, set()),
        (lambda x, a, b: x * b if a > 1 else x, (2, 3.0), False, {0}),
    ],
    ids=["both free", "both shapes", "a count, free", "a power known", "a power, users", "a branch"],
)
def test_a_number_is_static_only_where_it_must_be(fn: Any, numbers: tuple[Any, ...], follows_values: bool, expected: set[int]) -> None:
    def attempt(statics: frozenset[int]) -> Op | None:
        free = [i for i in range(len(numbers)) if i not in statics]

        def flat(x: Any, *given: Any) -> Any:
            at = dict(zip(free, given, strict=True))
            return fn(x, *[at.get(i, n) for i, n in enumerate(numbers)])

        try:
            return op_of(flat, *[type(numbers[i]) for i in free])
        except (TypeError, ValueError):  # JAX needs the value
            return None

    assert choose(attempt, len(numbers), follows_values=follows_values) == expected


def test_many_numbers_are_not_tried_one_by_one() -> None:
    tries: list[frozenset[int]] = []

    def attempt(statics: frozenset[int]) -> Op | None:
        tries.append(statics)
        return None if len(statics) < 20 else op_of(jnp.sin)

    assert choose(attempt, 20, follows_values=True) == set(range(20))
    assert len(tries) == 2


def test_what_no_choice_can_help_is_left_to_the_call() -> None:
    assert choose(lambda _: None, 2, follows_values=True) == {0, 1}


@pytest.mark.parametrize(
    ("call", "programs"),
    [
        (lambda t, n: t * (n + 0.5), 1),
        (lambda t, n: xnp.clip(t, 0, n + 0.5), 1),
        (lambda t, n: xnp.full_like(t, n + 0.5), 1),
        (lambda t, n: x10.nn.leaky_relu(t, negative_slope=(n + 1) / 10), 1),
        (lambda t, n: xnp.flip(t, n - n), 1),
        (lambda t, n: t ** (n + 2), 3),
        (lambda t, n: xnp.tile(t, n + 1), 3),
        (lambda t, n: x10.lazy(lambda x, k: x * k)(t, n), 1),
        (lambda t, n: x10.lazy(lambda x, k: x * k if k else x)(t, n), 3),
    ],
    ids=["operator", "bounds", "fill", "keyword", "axis", "power", "count", "users", "users branch"],
)
def test_another_number_compiles_only_where_it_means_another_program(call: Callable[[Any, int], Any], programs: int) -> None:
    t = x10.tensor(np.float32(3)).reshape(1)
    t.data  # noqa: B018 - a leaf from here on

    def run() -> None:
        for n in range(3):
            np.asarray(call(t, n))

    assert len(compiles(run)) == programs
