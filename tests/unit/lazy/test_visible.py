"""Arrays that somebody may see are known while they are there."""

import jax.numpy as jnp

from x10_jupyter.lazy.visible import VISIBLE, Visible


def test_an_array_that_is_gone_is_forgotten() -> None:
    visible, array = Visible(), jnp.zeros(3)
    visible.add(array)
    assert array in visible
    del array
    assert not visible.known
    assert jnp.zeros(3) not in VISIBLE
