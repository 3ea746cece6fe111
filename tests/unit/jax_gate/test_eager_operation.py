"""Functions that stand for one of JAX's own operations."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.jax_gate.eager_operation import is_jax_code, operation_of, source_of
from x10_jupyter.jax_gate.known_programs import traced


def functions(name: str) -> list[Any]:
    return [one.fun for one in traced(lambda fun: getattr(fun, "__name__", "") == name)]


def test_an_operation_is_known_with_what_it_is_bound_with() -> None:
    jnp.ones((2, 3, 4, 5))
    found = [operation for fun in functions("broadcast_in_dim") if (operation := operation_of(fun)) is not None]
    assert (2, 3, 4, 5) in [operation.params["shape"] for operation in found]
    assert {operation.name for operation in found} == {"broadcast_in_dim"}
    assert {operation.body for operation in found} == {""}


def test_the_users_function_within_an_operation_is_told() -> None:
    def body(carry: Any, x: Any) -> Any:
        return carry + x, x

    jax.lax.scan(body, jnp.float32(0), np.ones(3, np.float32))
    found = [operation.body for fun in functions("scan") if (operation := operation_of(fun)) is not None]
    assert [told for told in found if told.startswith(f"{body.__name__} at {__file__}")]


def test_other_functions_are_none() -> None:
    assert operation_of(len) is None
    assert operation_of(lambda a: a) is None
    assert source_of(object()) == ""
    sine: Any = jnp.sin
    assert is_jax_code(sine.__wrapped__.__code__.co_filename)
    assert not is_jax_code(__file__)
