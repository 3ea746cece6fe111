"""Calls that a library makes for the user."""

from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest
from jax._src import pmap as pmap_module

from x10_jupyter.observe.wrappers import asked, is_no_array

X = np.ones(3, np.float32)


def test_an_ordinary_call_is_as_it_is() -> None:
    found = asked(len, (1,), {"a": 2})
    assert (found.fun, found.args, found.kwargs, found.is_static) == (len, (1,), {"a": 2}, None)


def test_a_call_of_equinox_is_as_the_user_made_it() -> None:
    seen: list[Any] = []

    def step(model: Any, x: Any, *, rate: float) -> Any:
        return x * rate

    jitted: Any = eqx.filter_jit(step)
    inner = jitted._cached

    class Spy:
        def __call__(self, *args: Any) -> Any:
            seen.append(asked(inner._fun, args, {}))
            return inner(*args)

    object.__setattr__(jitted, "_cached", Spy())
    jitted({"w": X, "name": "a"}, X, rate=2.0)
    (found,) = seen
    assert found.fun is step
    assert found.args[0]["name"] == "a"
    assert found.args[1] is X
    assert found.kwargs == {"rate": 2.0}
    assert found.is_static is is_no_array


def test_what_equinox_no_longer_passes_on_is_taken_as_it_is() -> None:
    jitted: Any = eqx.filter_jit(lambda x: x)
    inner = jitted._cached._fun
    assert asked(inner, (1, 2), {}).fun is inner
    assert not is_no_array(jax.typeof(X))
    assert is_no_array(2.0)


def test_a_call_of_pmap_is_as_the_user_made_it() -> None:
    def step(params: Any, n: Any, batch: Any, *, rate: Any) -> Any:
        return params["w"] * n * batch * rate

    seen: list[Any] = []
    made = pmap_module._cached_shard_map

    def spy(*args: Any) -> Any:
        found = made(*args)
        seen.append(found)
        return found

    x = np.ones((2, 3), np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pmap_module, "_cached_shard_map", spy)
        jax.pmap(step, static_broadcasted_argnums=1, in_axes=(0, None, None))({"w": x}, 2, x, rate=x)
    found = asked(seen[0].pmapped, [x, x, x], {})
    assert (found.fun, found.static_argnums, list(found.kwargs)) == (step, (1,), ["rate"])
    assert [type(arg) for arg in found.args] == [dict, int, np.ndarray]
    assert found.options == (("in_axes", "(0, None, 0)"), ("out_axes", "0"))
    assert asked(seen[0].pmapped, [x], {}).fun is seen[0].pmapped, "not as it was made"
