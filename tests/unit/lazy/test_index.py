"""Indexing and functional updates are those of JAX."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.lazy.index import At, indices, update_called
from x10_jupyter.records.runtime_events import Cut

X = np.arange(12, dtype=np.float32).reshape(3, 4)

GETS: dict[str, Callable[[Any, Any], Any]] = {
    "a number": lambda x, a: x[1],
    "from the end": lambda x, a: x[-1, -2],
    "slices": lambda x, a: x[::-1, 1:3],
    "an ellipsis and a new axis": lambda x, a: x[..., None, 0],
    "a list of numbers": lambda x, a: x[a([0, 2])],
    "arrays": lambda x, a: x[a([0, 2]), a([1, 3])],
    "NumPy's mask": lambda x, a: x[X[:, 0] > 2],
    "NumPy's mask of all": lambda x, a: x[X > 4],
    "a mask among others": lambda x, a: x[1, np.array([True, False, True, False])],
    "a bound that is an array": lambda x, a: x[a(1) : 3],
}


def array(data: Any) -> Any:
    return x10.tensor(data)


@pytest.mark.parametrize("get", GETS.values(), ids=GETS.keys())
def test_indexing(get: Callable[[Any, Any], Any]) -> None:
    np.testing.assert_array_equal(np.asarray(get(array(X), array)), np.asarray(get(jnp.array(X), jnp.array)))


@pytest.mark.parametrize("name", ["set", "add", "multiply", "divide", "min", "max", "power"])
def test_updates(name: str) -> None:
    got = getattr(array(X).at[1, ::2], name)(array(2.0))
    np.testing.assert_array_equal(np.asarray(got), getattr(jnp.array(X).at[1, ::2], name)(2.0))


def test_updates_with_options_and_functions() -> None:
    assert float(array(X).at[9, 9].get(mode="fill", fill_value=-1.0)) == -1
    assert np.asarray(array(X).at[0].apply(jnp.negative))[0].tolist() == [0, -1, -2, -3]
    t = array(X)
    t.at[0].set(9.0)
    np.testing.assert_array_equal(np.asarray(t), X, "a tensor never changes")


def test_indexing_and_updating_are_recorded() -> None:
    with listening() as events:
        t = array(X)[1].at[X[1] > 5].set(0.0)
        assert repr(t) == "Tensor(f32[4], pending, 2 ops)"
        assert not [e for e in events if isinstance(e, Cut)]


def test_an_unknown_update_is_refused_as_by_jax() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = array(X).at[0].nothing
    with pytest.raises(AttributeError, match="nothing"):
        update_called("nothing")
    with pytest.raises(AttributeError, match="_private"):
        _ = At(array(X))[0]._private


def test_masks_of_numpy_become_positions() -> None:
    aval, mask = array(X).aval, np.array([False, True, True])
    assert indices(mask, aval).tolist() == [1, 2]
    assert indices(slice(x10.tensor(1), None, 2), aval) == slice(1, None, 2)
    assert [type(p) for p in indices((..., 0), aval)] == [type(...), int]
    assert [getattr(p, "tolist", lambda p=p: p)() for p in indices((mask, 0), aval)] == [[1, 2], 0]


def test_a_mask_of_another_shape_is_refused_as_by_jax() -> None:
    with pytest.raises(IndexError, match=r"[Bb]oolean index"):
        _ = array(X)[np.array([True, False])]
