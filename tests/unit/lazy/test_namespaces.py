"""JAX's namespaces, wrapped by one mechanism."""

import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.lift import Lazy
from x10_jupyter.lazy.namespaces import Namespace, is_dtype, members, wrapped

PAIRS = [(x10.numpy, jnp), (x10.nn, jax.nn), (x10.lax, jax.lax), (x10.random, jax.random), (x10.linalg, jnp.linalg), (x10.fft, jnp.fft)]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda m: m.__name__)
def test_every_public_name_of_jax_is_there(ours: Any, theirs: Any) -> None:
    for name in (n for n in dir(theirs) if not n.startswith("_")):
        member, original = getattr(ours, name), getattr(theirs, name)
        assert name in dir(ours)
        if isinstance(original, types.ModuleType):
            assert isinstance(member, (Namespace, types.ModuleType))
        elif not is_dtype(original) and callable(original) and not isinstance(original, type):
            assert isinstance(member, Lazy)
            assert member.__doc__ == original.__doc__
        else:
            assert member == original or member is original or member != member


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda m: m.__name__)
def test_an_unknown_name_says_where_it_was_looked_for(ours: Any, theirs: Any) -> None:
    with pytest.raises(AttributeError, match=rf"^module '{ours.__name__}' has no attribute 'nothing': {theirs.__name__} has none either$"):
        _ = ours.nothing
    with pytest.raises(AttributeError, match="__nothing__"):
        _ = ours.__nothing__


def test_a_namespace_tells_of_itself_as_jaxs_does() -> None:
    assert x10.numpy.__array_api_version__ == jnp.__array_api_version__
    ours, theirs = x10.numpy.__array_namespace_info__(), jnp.__array_namespace_info__()
    assert ours.capabilities() == theirs.capabilities()
    assert ours.dtypes() == theirs.dtypes()
    assert not hasattr(x10.nn, "__array_api_version__")


def test_a_module_inside_is_wrapped_in_turn() -> None:
    made = x10.nn.initializers.ones(x10.random.key(0), (2,))
    assert "ones" in dir(x10.nn.initializers)
    assert np.asarray(made).tolist() == [1, 1]


def test_a_dtype_is_jaxs_and_records_when_called() -> None:
    ours = x10.numpy.float16
    assert is_dtype(jnp.float16)
    assert jnp.dtype(ours) == jnp.dtype(jnp.float16)
    assert jnp.zeros(1, ours).dtype == np.float16
    made = ours(x10.tensor([1.5]) * 1.0)
    assert isinstance(made, x10.Tensor)
    assert (repr(made), np.asarray(made).tolist()) == ("Tensor(f16[1], pending, 2 ops)", [1.5])


@pytest.mark.parametrize("member", [3.14, np.ndarray, "text"])
def test_what_is_no_function_is_itself(member: Any) -> None:
    assert wrapped("x", member) is member


def test_what_was_asked_for_is_kept() -> None:
    into: dict[str, Any] = {"__name__": "ours"}
    get, names = members(jnp, into)
    assert get("sin") is into["sin"]
    assert "cos" in names()
