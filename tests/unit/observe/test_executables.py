import jax
import jax.numpy as jnp

from x10_jupyter.observe.executables import live, named


def test_a_program_that_is_alive_can_be_looked_at() -> None:
    def only_here(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * 2

    step = jax.jit(only_here)
    step(jnp.ones(4))
    (one,) = named(list(live()), "jit_only_here")
    assert one.fingerprint
    assert one.module.name == "jit_only_here"
    assert "sine" in one.text
    del step
