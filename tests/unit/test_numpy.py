"""`x10.numpy` is the array-API namespace of tensors; that it has all of JAX's names is tested with the mechanism."""

import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10


def test_it_is_the_namespace_of_tensors() -> None:
    t = x10.tensor([1.0, 2.0])
    assert t.__array_namespace__() is x10.numpy
    assert (x10.numpy.pi, x10.numpy.newaxis, x10.numpy.ndarray) == (jnp.pi, None, jnp.ndarray)
    assert np.asarray(x10.numpy.concatenate([t, np.ones(1)])).tolist() == [1, 2, 1]


def test_what_makes_arrays_makes_tensors() -> None:
    for made in (x10.numpy.zeros(2), x10.numpy.arange(3), x10.numpy.linspace(0, 1, 3), x10.numpy.eye(2), x10.numpy.asarray([1, 2])):
        assert isinstance(made, x10.Tensor)
