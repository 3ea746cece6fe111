"""`x10.random` is `jax.random`, recorded: the same keys give the same numbers."""

import jax
import numpy as np
import pytest

import x10_jupyter as x10


@pytest.mark.parametrize("name", ["normal", "uniform", "gumbel"])
@pytest.mark.parametrize("make", ["key", "PRNGKey"])
def test_numbers_are_those_of_jax(name: str, make: str) -> None:
    ours, theirs = getattr(x10.random, make)(3), getattr(jax.random, make)(3)
    np.testing.assert_array_equal(np.asarray(getattr(x10.random, name)(ours, (4,))), np.asarray(getattr(jax.random, name)(theirs, (4,))))


def test_keys_are_split() -> None:
    a, b = x10.random.split(x10.random.key(0))
    want = jax.random.split(jax.random.key(0))
    for ours, theirs in ((a, want[0]), (b, want[1])):
        np.testing.assert_array_equal(np.asarray(x10.random.key_data(ours)), np.asarray(jax.random.key_data(theirs)))
