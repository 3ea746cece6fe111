"""The text of a jaxpr is plain, wherever it is made."""

import jax
import pytest
from jax._src import pretty_printer

from x10_jupyter.jax_gate.jaxpr_text import jaxpr_text


def test_it_is_without_colours_where_jax_would_use_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made = jax.make_jaxpr(lambda x: x * 2.0)(1.0)
    plain = str(made)
    monkeypatch.setattr(pretty_printer, "CAN_USE_COLOR", True)
    assert "\x1b[" in str(made)
    assert jaxpr_text(made) == jaxpr_text(made.jaxpr) == plain
