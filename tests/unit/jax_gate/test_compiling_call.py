"""The call that compiles is found from JAX's own hooks."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.monitoring as monitoring
import numpy as np
import pytest

from x10_jupyter.jax_gate.compiling_call import compiler_options, compiling_call

X = np.arange(4, dtype=np.float32)


@pytest.fixture
def seen() -> Iterator[list[tuple[Any, ...]]]:
    found: list[tuple[Any, ...]] = []

    def hear(event: str, value: float, **_: object) -> None:
        if "/compile/" in event:
            call = compiling_call(sys._getframe(1))
            names = event.rpartition("/")[2].removesuffix("_duration")
            more = () if call is None else (call.fun, len(call.args), sorted(call.kwargs), call.program is not None, call.is_ahead, call.is_for_shapes)
            found.append((names, *(more or (None,))))

    monitoring.register_scalar_listener(hear)
    yield found
    monitoring.unregister_scalar_listener(hear)


PHASES = "jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"


def test_a_call_is_seen_in_all_phases_with_its_function_and_arguments(seen: list[tuple[Any, ...]]) -> None:
    def f(a: Any, b: Any, *, c: Any) -> Any:
        return a * b * c

    jax.jit(f)(X, X, c=X)
    assert seen == [(phase, f, 2, ["c"], False, False, False) for phase in PHASES]


def test_lowering_ahead_of_time_is_seen_until_it_is_lowered(seen: list[tuple[Any, ...]]) -> None:
    def f(a: Any) -> Any:
        return a * 3

    jitted: Any = jax.jit(f)
    jitted.eval_shape(X[:3])
    assert seen.pop(0) == ("jaxpr_trace", f, 1, [], False, True, True)
    jitted.lower(X).compile()
    assert seen == [("jaxpr_trace", f, 1, [], False, True, False), ("jaxpr_to_mlir_module", None), ("backend_compile", None)]


def test_a_gradient_has_the_call_on_the_way_there_and_only_a_program_on_the_way_back(seen: list[tuple[Any, ...]]) -> None:
    def f(a: Any) -> Any:
        return (a * 5).sum()

    jax.grad(jax.jit(f))(X)
    mine = [one for one in seen if one[1] in {f, None} and one[0] == "backend_compile"]
    assert mine == [("backend_compile", f, 1, [], True, False, False), ("backend_compile", None, 0, [], True, False, False)]


def test_there_is_none_where_nothing_compiles() -> None:
    call: Callable[..., Any] = compiling_call
    assert call(sys._getframe()) is None
    assert call(None) is None


def test_what_is_compiled_ahead_of_time_with_options_says_so() -> None:
    found: list[dict[str, Any]] = []

    def hear(event: str, value: float, **_: object) -> None:
        if "backend_compile" in event:
            found.append(compiler_options(sys._getframe(1)))

    lowered = jax.jit(lambda a: a * 0.1796875).lower(1.0)
    monitoring.register_scalar_listener(hear)
    try:
        lowered.compile({"xla_cpu_enable_fast_math": True})
        lowered.compile()
    finally:
        monitoring.unregister_scalar_listener(hear)
    assert found == [{"xla_cpu_enable_fast_math": True}, {}]
    assert compiler_options(sys._getframe()) == {}
