"""`x10.lax` is `jax.lax`, recorded; functions that it takes may read tensors."""

import jax
import jax.numpy as jnp
import numpy as np

import x10_jupyter as x10


def test_control_flow_is_one_operation() -> None:
    step = x10.tensor(2.0)
    got = x10.lax.fori_loop(0, 3, lambda _, x: x + step, x10.tensor(1.0))
    assert "pending, 1 op" in repr(got)
    assert float(got) == 7
    last, all_of_them = x10.lax.scan(lambda c, x: (c + x, c * x), x10.tensor(0.0), x10.tensor([1.0, 2.0, 3.0]))
    want = jax.lax.scan(lambda c, x: (c + x, c * x), 0.0, jnp.array([1.0, 2.0, 3.0]))
    assert float(last) == float(want[0])
    assert np.asarray(all_of_them).tolist() == want[1].tolist()


def test_a_condition_needs_no_value() -> None:
    got = x10.lax.cond(x10.tensor(1.0) > 0, lambda x: x * 2, lambda x: x, x10.tensor(4.0))
    assert float(got) == 8
