"""Where a trace is read, cut or let go of never changes a value. Whole numbers, so that every value is exact however it is computed."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import x10_jupyter as x10

SMALL, LARGE = (3, 3), (130, 130)
"""Large enough for its buffer to be donated."""

Pair = tuple[Any, np.ndarray]
"""A tensor, and what it is to be."""

UNARY: list[Callable[[Any], Any]] = [
    lambda a: a * 3,
    lambda a: a + 1,
    lambda a: 7 - a,
    lambda a: -a,
    lambda a: a.T,
    lambda a: a[::-1],
    lambda a: a.clip(-100, 100),
    lambda a: a // 2,
    lambda a: a % 5,
    lambda a: abs(a),
]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a ^ b,
    lambda a, b: a & b,
]
OF_NUMBER: list[Callable[[Any, Any], Any]] = [
    lambda a, n: a + n,
    lambda a, n: n - a,
    lambda a, n: a * n,
    lambda a, n: a * n + n,
    lambda a, n: (a + n) * (n + 1),
]
FUNCTIONS: list[Callable[[Any, Any, Any], Any]] = [
    lambda w, a, b: w.where(a > b, a, b),
    lambda w, a, b: w.maximum(a, b),
    lambda w, a, b: w.stack([a, b]).sum(0, dtype="int32"),
    lambda w, a, b: w.concatenate([a, b])[: len(a)],
]


@x10.lazy
def plus_twice(a, b, n):
    return {"sum": a + b + n, "twice": [a * 2]}


def barrier(_a: Any, _x: np.ndarray) -> None:
    x10.barrier()


def read(a: Any, x: np.ndarray) -> None:
    assert np.array_equal(a, x)


def read_a_part(a: Any, x: np.ndarray) -> None:
    assert int(a[1, 2]) == x[1, 2]


def read_by_jax(a: Any, x: np.ndarray) -> None:
    assert np.array_equal(jnp.sum(a, axis=0), x.sum(0, dtype=np.int32))


def compare(a: Any, x: np.ndarray) -> None:
    assert bool((a == x10.tensor(x)).all())


def show(a: Any, _x: np.ndarray) -> None:
    repr(a)


DISTURBANCES: list[Callable[[Any, np.ndarray], Pair | None]] = [
    barrier,
    read,
    read_a_part,
    read_by_jax,
    compare,
    show,
    lambda a, x: (a.data, x),
    lambda a, x: (copy.copy(a), x),
    lambda a, x: (np.asarray(a), x),
    lambda a, x: (a[0], x[0]),
]
"""Each returns what somebody keeps from then on, if anything."""


class Run:
    """A pool of tensors that a program goes on changing."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.pool: list[Pair] = []
        self.promised: list[Pair] = []
        """What somebody outside of the pool holds: an array, a copy."""
        for shape in (SMALL, SMALL, LARGE, LARGE):
            data = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) % 11 - 5
            self.pool.append((x10.tensor(data), data))

    def alike(self, rng: Random, pair: Pair) -> Pair:
        return rng.choice([p for p in self.pool if p[1].shape == pair[1].shape])

    def step(self, rng: Random) -> None:
        """One operation, drawn by ``rng``, of numbers drawn by the program's own: the same path with other numbers, reads and holdings."""
        what = rng.randrange(5)
        a, x = pair = rng.choice(self.pool)
        b, y = self.alike(rng, pair)
        if what == 0:
            op = rng.choice(UNARY)
            made = (op(a), op(x))
        elif what == 1:
            op = rng.choice(BINARY)
            made = (op(a, b), op(x, y))
        elif what == 2:
            op, n = rng.choice(OF_NUMBER), self.rng.choice([2, 2, 3, 5, -1, 0])
            made = (op(a, n), op(x, np.int32(n)))
        elif what == 3:
            op = rng.choice(FUNCTIONS)
            made = (op(x10.numpy, a, b), op(np, x, y))
        else:
            n = self.rng.choice([1, 1, 4])
            got = plus_twice(a, b, n)
            made = rng.choice([(got["sum"], x + y + np.int32(n)), (got["twice"][0], x * 2)])
        place = rng.randrange(8)
        if place < len(self.pool) and self.pool[place][1].shape == x.shape and sum(p[1].shape == x.shape for p in self.pool) > 1:
            self.pool[place] = made
        elif len(self.pool) < 8:
            self.pool.append(made)

    def disturb(self) -> None:
        """Read, cut, hand out or copy something; none of that is to be noticed."""
        a, x = self.rng.choice(self.pool)
        what = self.rng.choice(DISTURBANCES)
        kept = what(a, x)
        if kept is not None:
            self.promised.append(kept)
        elif self.promised and self.rng.randrange(4) == 0:
            self.promised.pop(self.rng.randrange(len(self.promised)))

    def check(self) -> None:
        for t, x in [*self.pool, *self.promised]:
            assert np.array_equal(t, x)


def run_with_cuts(rng: Random) -> None:
    """Repeat a few sequences of operations, each time with other numbers, reads and holdings."""
    run = Run(rng)
    seeds = [rng.randrange(1 << 30) for _ in range(2)]
    with np.errstate(over="ignore"):
        for _ in range(rng.randint(2, 7)):
            operations = Random(rng.choice(seeds))
            for _ in range(operations.randint(1, 12)):
                run.step(operations)
                if rng.randrange(4) == 0:
                    run.disturb()
            if rng.randrange(3):
                x10.barrier()
            if rng.randrange(3) == 0:
                run.check()
        run.check()


@settings(max_examples=settings().max_examples // 2)
@given(rng=st.randoms(use_true_random=False))
def test_no_cut_changes_a_value(rng: Random):
    run_with_cuts(rng)


def test_what_is_dropped_is_not_computed_and_what_is_held_is():
    a = x10.tensor(np.arange(6))
    b = a * 2
    c = b + 1
    del b
    x10.barrier()
    assert jax.typeof(c).shape == (6,) and "pending" not in repr(c) and np.array_equal(c, np.arange(6) * 2 + 1)
