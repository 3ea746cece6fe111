"""`x10.linalg` is `jax.numpy.linalg`, recorded."""

import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10

A = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)


@pytest.mark.parametrize("name", ["inv", "det", "cholesky", "norm", "eigvalsh", "matrix_rank"])
def test_functions_are_those_of_jax(name: str) -> None:
    got = getattr(x10.linalg, name)(x10.tensor(A))
    assert isinstance(got, x10.Tensor)
    np.testing.assert_allclose(np.asarray(got), getattr(jnp.linalg, name)(jnp.array(A)), rtol=1e-5)


def test_several_results() -> None:
    q, r = x10.linalg.qr(x10.tensor(A))
    np.testing.assert_allclose(np.asarray(q @ r), A, rtol=1e-5)
