"""`x10.nn` is `jax.nn`, recorded."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10

X = np.array([-1.0, 0.5, 2.0], np.float32)


@pytest.mark.parametrize("name", ["relu", "softmax", "gelu", "silu", "log_softmax", "sigmoid", "logsumexp"])
def test_functions_are_those_of_jax(name: str) -> None:
    got = getattr(x10.nn, name)(x10.tensor(X))
    assert "pending, 1 op" in repr(got)
    np.testing.assert_allclose(np.asarray(got), getattr(jax.nn, name)(jnp.array(X)), rtol=1e-6)
