import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tracebacks import frames_of_ours
from x10_jupyter import lax, nn, numpy, random
from x10_jupyter.lazy.api import Tensor
from x10_jupyter.session.substitutes import substitute


def stand(value: object) -> types.ModuleType:
    found = substitute(value)
    assert found is not None
    return found  # pyright: ignore[reportReturnType] # it stands for one


def test_modules_and_their_functions_have_ours() -> None:
    assert stand(jnp).sin is numpy.sin
    assert (stand(jax).numpy, stand(jax).nn) == (substitute(jnp), substitute(jax.nn))
    assert stand(jax.numpy).linalg is substitute(jnp.linalg)
    for theirs, ours in ((jnp.sin, numpy.sin), (jnp.add, numpy.add), (jax.nn.relu, nn.relu), (jax.lax.scan, lax.scan), (jax.random.normal, random.normal)):
        assert substitute(theirs) is ours


def test_what_compiles_and_what_is_not_jaxs_stays() -> None:
    assert stand(jax).jit is jax.jit
    assert stand(jax).vmap is jax.vmap
    assert stand(jnp).pi == jnp.pi

    class Strange:
        def __getattr__(self, name: str) -> object:
            raise ZeroDivisionError

    for other in (np, np.sin, jax.jit, jax.jit(lambda x: x), 3, "sin", jnp.float32, Strange(), None, jnp.ones(3)):
        assert substitute(other) is None


def test_a_tensor_is_an_array_to_who_asks() -> None:
    x = stand(jnp).ones(3)
    assert isinstance(x, Tensor)
    for kind in (stand(jnp).ndarray, stand(jax).Array, substitute(jax.Array)):
        assert isinstance(kind, type)
        assert isinstance(x, kind)
        assert isinstance(jnp.ones(3), kind)
        assert not isinstance(np.ones(3), kind)


def test_a_gradient_is_recorded() -> None:
    slope = stand(jax).grad(lambda w: (w**2).sum())(jnp.arange(3.0))
    assert isinstance(slope, Tensor)
    assert np.asarray(slope).tolist() == [0.0, 2.0, 4.0]
    (value, more), slopes = stand(jax).value_and_grad(lambda w, b: ((w * b).sum(), b), argnums=(0, 1), has_aux=True)(jnp.arange(3.0), 2.0)
    assert (float(value), float(more), float(slopes[1])) == (6.0, 2.0, 3.0)


def test_a_gradient_through_a_jitted_function_is_jaxs() -> None:
    double = jax.jit(lambda w: w * 2)
    calls: list[int] = []

    def loss(w: jax.Array) -> jax.Array:
        calls.append(1)
        return double(w).sum()

    slope = stand(jax).grad(loss)
    for _ in range(2):
        assert np.asarray(slope(stand(jnp).ones(2) * 3)).tolist() == [2.0, 2.0]
    assert len(calls) == 3, "tried once, and not again"


def test_options_that_only_jax_knows_are_jaxs() -> None:
    assert np.asarray(stand(jax).grad(lambda z: z**2, holomorphic=True)(jnp.complex64(1 + 1j))).tolist() == 2 + 2j
    with pytest.raises(TypeError):
        stand(jax).grad(lambda x: x)(3)


def test_the_traceback_of_a_gradient_that_fails_has_the_users_lines_and_none_of_its_own() -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        stand(jax).grad(broken, holomorphic=False)(jnp.ones(()))
    assert "call" not in frames_of_ours(caught.value)
