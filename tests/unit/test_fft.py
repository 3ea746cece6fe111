"""`x10.fft` is `jax.numpy.fft`, recorded."""

import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10

X = np.array([1.0, 2.0, 0.0, -1.0], np.float32)


@pytest.mark.parametrize("name", ["fft", "rfft", "ifft", "fftshift"])
def test_functions_are_those_of_jax(name: str) -> None:
    got = getattr(x10.fft, name)(x10.tensor(X))
    assert "pending, 1 op" in repr(got)
    np.testing.assert_allclose(np.asarray(got), getattr(jnp.fft, name)(jnp.array(X)), atol=1e-6)


def test_there_and_back() -> None:
    np.testing.assert_allclose(np.asarray(x10.fft.ifft(x10.fft.fft(x10.tensor(X))).real), X, atol=1e-6)
