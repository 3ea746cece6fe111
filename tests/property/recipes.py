"""Arguments that many functions of arrays take, so that each public function can be called without a table of what it wants."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

M = jnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
V = jnp.array([0.5, -0.25, 0.75])
INDEX = jnp.array([2, 0, 1])
B = jnp.array([True, False, True])
C = jnp.array([1 + 2j, 3 - 1j, 0.5j])
S = jnp.float32(0.5)
K = jax.random.key(3)
MI = jnp.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
U = jnp.array([1, 2, 3], jnp.uint8)
T = jnp.arange(24.0).reshape(2, 3, 4)
IMAGE, KERNEL = jnp.arange(18.0).reshape(1, 2, 3, 3), jnp.ones((4, 2, 2, 2))


def add(a: Any, b: Any) -> Any:
    return a + b


def double(x: Any) -> Any:
    return x * 2


def carry(c: Any, x: Any) -> tuple[Any, Any]:
    return c + x, c


RECIPES: list[tuple[Any, ...]] = [
    (V,), (M,), (INDEX,), (B,), (C,), (MI,), (U,), (T,), (S,), (K,), (2.5,), (3,), ((2, 3),), ([1, 2, 3],), (jnp.float32,), ("float32",),
    (np.ones(3, np.float32),), ((V, V),), ([V, V],), ([M, M],), (V, V), (M, M), (INDEX, INDEX), (B, B), (S, S), (U, U), (M, V), (V, M), (V, INDEX),
    (INDEX, V), (MI, MI), (V, 1), (M, 0), (U, 1), (INDEX, 2), (1, V), (2, M), (V, 2.0), (1.5, V), (M, 1.5), ([V, V], 0), (M, (0, 1)), (M, (9,)),
    (M, (3, 3)), (V, (3,)), (V, (2, 3)), (M, [0, 1]), (M, ((1, 1), (0, 0))), (M, None), (V, jnp.int32), (jnp.float32, V), (jnp.float32, jnp.float32),
    ((2, 3), jnp.float32), ((3,), 1.5), (jnp.float32, (3,), 0), (1, 4), (M, 1, 0), (M, 2, 0), (V, 0, 1), (0.0, 1.0, 5), (V, V, V), (V, V, 1.5),
    (B, V, V), (0.0, V, 1.0), (V, 0.0, 1.0), (M, INDEX, 0), (M, 0, True), (M, MI % 3, 1), (M, MI % 3, M, 1), (M, (0, 0), (2, 2)),
    (M, M[:2, :2], (0, 0)), (M, M[:2], 0, 0), (M, M[0], 0, 0), (V, (1,), (3,)), (V, (3, 3), (1,)), (jnp.ones((1, 3)), (0,)),
    (M, 0.0, [(0, 1, 0), (1, 0, 0)]), (M, 0, 2, 0), (M, M, (((1,), (0,)), ((), ()))), (T, (2, 0, 1)), (T, 0, 2), (T, 2), (M, 0, jnp.int32),
    (IMAGE, KERNEL, (1, 1), "SAME"), (V, V, "same"), (V, "float32"), (M, "fro"), ("ij->ji", M), ("ij,jk->ik", M, M), (V, 0.0, jax.lax.add, (0,)),
    (M, 0.0, jax.lax.add, (2, 2), (1, 1), "SAME"), (B, (0,)), (K, (3,)), (K, 3), (K, V), (K, INDEX), (K, B), (K, M), (K, V, (3,)), (K, 1.5, (3,)),
    (K, M, (2,)), (K, V, V), (K, V, V, (3,)), (K, V, M), (K, (3,), 0, 5), (K, 5, (2,)), (K, -1.0, 1.0, (2,)), (K, -1.0, 0.5, 1.0, (2,)),
    (K, 4, V * V), (double, V), (add, V, V), (add, 0, M), (lambda x: x.sum(), 0, M), (add, [V, V]), (add, V), (lambda x: x, [V, S]),
    (True, lambda x: x, double, V), (0, 3, lambda i, x: x * 2, V), (lambda x: x.sum() < 10, lambda x: x * 2 + 1, V), (carry, 0.0, V), (carry, S, V),
    (1, [lambda x: x, lambda x: x + 1], V), (lambda x, y: x, (2, 3)), (double, V, lambda f, b: b / 2), ((0, 1, 2), V), (3, 3),
    (lambda x: x * x - 2, 1.0, lambda f, x: jnp.sqrt(2.0) * x, lambda g, y: y / g(1.0)), (jax.random.key_data(K), (3,)), (jax.random.key_data(K),),
    (3, (3, 3)), (3, jnp.tril),
]  # fmt: skip
