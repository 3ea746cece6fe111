"""Options of jax.jit."""

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from x10_jupyter.observe.options import options_of


def step(a: Any, n: int) -> Any:
    return a * n


def test_only_what_was_given_is_told() -> None:
    plain: Any = jax.jit(step)
    assert options_of(plain._jit_info) == ()
    told: Any = jax.jit(step, static_argnums=1, donate_argnums=0, compiler_options={"a": 1}, keep_unused=True)
    expected = {"static_argnums": "(1,)", "donate_argnums": "(0,)", "keep_unused": "True", "compiler_options": "(('a', 1),)"}
    assert dict(options_of(told._jit_info)) == expected


def test_what_a_jax_does_not_have_is_left_out() -> None:
    assert options_of(SimpleNamespace(inline=True)) == (("inline", "True"),)
    assert options_of(None) == ()


def test_shardings_are_told_as_users_write_them() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    one, other = (jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes)) for axes in (("x",), ()))
    assert options_of(SimpleNamespace(in_shardings_leaves=(one,))) == (("in_shardings", "P('x',) of mesh(x=2)"),)
    both: Any = jax.jit(step, in_shardings=(one, None), out_shardings=other)
    assert dict(options_of(both._jit_info)) == {"in_shardings": "(P('x',) of mesh(x=2), None)", "out_shardings": "P() of mesh(x=2)"}
