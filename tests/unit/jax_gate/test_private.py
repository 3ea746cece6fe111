"""How something private in JAX is taken hold of."""

import jax
import pytest

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.private import missing, private


def test_what_is_there_is_found() -> None:
    assert private("jax.numpy", "sin", fix="") is jax.numpy.sin
    assert private("jax", "numpy.linalg.norm", fix="") is jax.numpy.linalg.norm, "dots reach inside"


@pytest.mark.parametrize(("module", "name"), [("jax._src.nothing", "x"), ("jax.numpy", "nothing"), ("jax.numpy", "sin.nothing")])
def test_what_is_gone_is_said_with_the_version_and_a_cure(module: str, name: str) -> None:
    message = rf"^This needs {module}\.{name}, which the installed JAX does not have; got jax {jax.__version__}\. Do this\.$"
    with pytest.raises(UnsupportedJaxError, match=message):
        private(module, name, fix="Do this.")


def test_missing() -> None:
    assert str(missing("a table", "Do this.")).startswith("This needs a table, which")
