"""The functions in which JAX asks whether something is its own array."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tracebacks import frames_of_ours
from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.array_functions import Functions


class Made:
    """Holds an array."""

    def __init__(self, array: Any) -> None:
        self.array = array


class MadeToArray:
    """Converts what is `Made`."""

    classes = (Made,)

    def concrete(self, value: Any) -> Any:
        return value.array if isinstance(value, Made) else value

    def concrete_items(self, value: Any) -> Any:
        return [self.concrete(v) for v in value] if isinstance(value, list) else self.concrete(value)


def test_they_convert_while_they_are_replaced() -> None:
    functions = Functions()
    originals = (jnp.asarray, jnp.array, jax.device_put)
    functions.replace(MadeToArray())
    try:
        made: Any = Made(jnp.arange(3.0))
        assert jnp.array(made).tolist() == [0, 1, 2]
        assert jnp.array([Made(jnp.ones(())), 2.0]).tolist() == [1, 2]
        assert jnp.arange(3.0)[Made(jnp.array([2, 0]))].tolist() == [2, 0]
        assert jnp.ones(2).tolist() == [1, 1]
        assert np.asarray(jnp.array(jnp.ones(2))).tolist() == [1, 1]
    finally:
        functions.restore()
    with pytest.raises(TypeError, match="Made"):
        jnp.array(made)
    assert (jnp.asarray, jnp.array, jax.device_put) == originals


def test_one_that_is_gone_is_said_before_anything_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("jax._src.pjit.convert_to_metaty")
    with pytest.raises(UnsupportedJaxError, match=r"convert_to_metaty.*Call \.data on a tensor"):
        Functions()


ANYTHING: Any = object()
LAX: Any = jax.lax  # asarray is in it, untold
REFUSED = {
    "asarray": lambda: LAX.asarray(ANYTHING),
    "array": lambda: jnp.array([1, "a"]),
    "indices": lambda: jnp.ones(3)["a"],
    "key": lambda: jax.random.normal(ANYTHING),
    "call": lambda: jax.block_until_ready(jax.pure_callback(refuse, jnp.ones(3), jnp.ones(3))),
    "device_put": lambda: jax.device_put("a"),
}


def refuse(_: Any) -> Any:
    raise ZeroDivisionError


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_the_traceback_of_what_jax_refuses_has_the_users_line_and_none_of_ours(call: Any) -> None:
    functions = Functions()
    functions.replace(MadeToArray())
    try:
        with pytest.raises(Exception) as caught:
            call()
    finally:
        functions.restore()
    assert frames_of_ours(caught.value) == []
