"""An operation that JAX traces but cannot lower is named, and takes nothing with it that does not depend on it."""

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.errors import LostValueError


@pytest.fixture
def values():
    """What can be computed, and what cannot: JAX has no order of complex numbers, and says so only when it lowers."""
    fine = x10.tensor(np.ones(3, np.float32)) * 2
    refused = x10.tensor(np.ones(3, np.complex64)).argmin()
    return fine, refused, refused + 1, fine + 1


def test_what_does_not_depend_on_it_is_computed(values):
    fine, _, _, finer = values
    assert np.array_equal(finer, [3, 3, 3]) and np.array_equal(fine, [2, 2, 2])


def test_what_depends_on_it_names_it_whenever_it_is_read(values):
    fine, refused, more, _ = values
    np.asarray(fine)
    for t in (refused, more, refused):
        with pytest.raises(LostValueError, match=r"could not be compiled .*complex64.* by `argmin` at test_culprit"):
            np.asarray(t)


def test_an_operation_under_other_settings_has_nothing_to_do_with_it(values):
    fine, refused, *_ = values
    with jax.numpy_rank_promotion("raise"):
        assert np.array_equal(x10.tensor(np.ones(3, np.float32)) + 1, [2, 2, 2])
    assert np.array_equal(fine, [2, 2, 2])
    with pytest.raises(LostValueError, match="argmin"):
        refused + 1


def test_a_barrier_tells_and_computes_the_rest(values):
    fine, *_ = values
    with pytest.raises(LostValueError, match="argmin"):
        x10.barrier()
    assert "pending" not in repr(fine) and np.array_equal(fine, [2, 2, 2])
    x10.barrier()
