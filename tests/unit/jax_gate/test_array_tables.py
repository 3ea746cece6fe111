"""The tables in which JAX looks up a class."""

import jax
import jax.numpy as jnp
import pytest
from jax.core import ShapedArray

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.array_tables import ARRAYLIKE, Tables


class Made:
    """Holds an array."""

    def __init__(self, array: jax.Array) -> None:
        self.array = array


def test_a_class_is_known_while_it_is_entered() -> None:
    tables = Tables()
    before = getattr(tables.numpy_util, ARRAYLIKE)
    made = Made(jnp.ones(2))
    tables.enter(Made, lambda m: ShapedArray(m.array.shape, m.array.dtype), lambda m: m.array)
    try:
        assert Made in getattr(tables.numpy_util, ARRAYLIKE)
        assert jax.lax.add_p.bind(made, jnp.ones(2)).tolist() == [2, 2]
    finally:
        tables.remove(Made)
    assert getattr(tables.numpy_util, ARRAYLIKE) == before
    with pytest.raises(TypeError, match="Made"):
        jax.lax.add_p.bind(made, jnp.ones(2))


def test_a_table_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("jax._src.core.pytype_aval_mappings", [])
        with pytest.raises(UnsupportedJaxError, match=r"pytype_aval_mappings as a dict.*Call \.data on a tensor"):
            Tables()
