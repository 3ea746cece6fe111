"""Every equation is found, however deep."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from x10_jupyter.lazy.jaxprs import devices_named, equations, is_jaxpr


def test_equations_inside_others_are_found() -> None:
    def fn(x: jax.Array) -> jax.Array:
        y = jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x)
        return jax.lax.scan(lambda c, z: (jax.jit(jnp.tanh)(c + z), None), y, jnp.ones((2, 3)))[0]

    jaxpr = jax.make_jaxpr(fn)(jnp.ones(3))
    names = [eqn.primitive.name for eqn in equations(jaxpr.jaxpr)]
    assert {"cond", "scan", "sin", "cos", "tanh", "add", "gt"} <= set(names)
    assert names.count("tanh") == 1
    assert is_jaxpr(jaxpr) and is_jaxpr(jaxpr.jaxpr) and not is_jaxpr(fn)


def test_the_devices_that_a_function_names() -> None:
    mesh = Mesh(np.array(jax.devices()[1::-1]), ("x",))
    sharding = NamedSharding(mesh, PartitionSpec("x"))

    def constrained(x: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x, sharding)

    for fn in (
        constrained,
        jax.jit(constrained),
        lambda x: jax.lax.fori_loop(0, 3, lambda _, y: constrained(y), x),
        jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x")),
    ):
        assert devices_named(jax.make_jaxpr(fn)(jnp.ones(2)).jaxpr) == (jax.devices()[1], jax.devices()[0])
    assert devices_named(jax.make_jaxpr(lambda x: jax.jit(jnp.sin)(x) * 2)(jnp.ones(2)).jaxpr) is None
