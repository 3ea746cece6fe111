"""Functions that stand for one of JAX's own operations."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.jax_gate.compiling_call import compiling_call
from x10_jupyter.jax_gate.eager_operation import Operation, given_functions, is_jax_code, operation_of, source_of
from x10_jupyter.jax_gate.known_programs import traced
from x10_jupyter.observe import causes
from x10_jupyter.observe.staging import Staging


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


def test_a_scan_over_arrays_is_as_long_as_they_are() -> None:
    def through(c: Any, x: Any) -> Any:
        return c + x, x

    def alone(c: Any, _: Any) -> Any:
        return c + 1, c

    jax.lax.scan(through, jnp.float32(0), np.ones(13, np.float32))
    jax.lax.scan(alone, jnp.float32(0), None, length=17)
    found = {one.params["length"]: one for fun in functions("scan") if (one := operation_of(fun)) is not None}
    assert found[13].goes_through_arrays(2)
    assert not found[17].goes_through_arrays(1)
    assert not Operation("scan", {}).goes_through_arrays(3)


def test_the_functions_that_the_user_gave_are_found_on_the_stack(monkeypatch: Any) -> None:
    found: list[Any] = []

    def seen(frame: Any) -> Any:
        call = compiling_call(frame)
        found.append(given_functions(call.frame if call is not None else None))
        return call

    def body(i: Any, c: Any) -> Any:
        return c + i

    def true(x: Any) -> Any:
        return x

    def false(x: Any) -> Any:
        return x + 1

    monkeypatch.setattr(causes, "compiling_call", seen)
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    staging.stay()
    try:
        jax.lax.fori_loop(0, 3, body, jnp.float32(0))
        jax.lax.cond(jnp.bool_(True), true, false, jnp.float32(0))
        jax.lax.switch(jnp.int32(1), [true, false], jnp.float32(1))
        jnp.zeros((7, 2, 3))
    finally:
        staging.leave()
    assert {(body,), (true, false)} <= set(found)
    assert found[-1] == given_functions(None) == ()


def test_other_functions_are_none() -> None:
    assert operation_of(len) is None
    assert operation_of(lambda a: a) is None
    assert source_of(object()) == ""
    sine: Any = jnp.sin
    assert is_jax_code(sine.__wrapped__.__code__.co_filename)
    assert not is_jax_code(__file__)
