"""Every equation is found, however deep."""

import jax
import jax.numpy as jnp

from x10_jupyter.lazy.jaxprs import equations, is_jaxpr


def test_equations_inside_others_are_found() -> None:
    def fn(x: jax.Array) -> jax.Array:
        y = jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x)
        return jax.lax.scan(lambda c, z: (jax.jit(jnp.tanh)(c + z), None), y, jnp.ones((2, 3)))[0]

    jaxpr = jax.make_jaxpr(fn)(jnp.ones(3))
    names = [eqn.primitive.name for eqn in equations(jaxpr.jaxpr)]
    assert {"cond", "scan", "sin", "cos", "tanh", "add", "gt"} <= set(names)
    assert names.count("tanh") == 1
    assert is_jaxpr(jaxpr) and is_jaxpr(jaxpr.jaxpr) and not is_jaxpr(fn)
