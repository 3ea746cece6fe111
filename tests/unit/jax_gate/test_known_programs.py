"""What JAX knows, and whether it has forgotten."""

import gc
from typing import Any

import jax
import numpy as np

from x10_jupyter.jax_gate.context import trace_context
from x10_jupyter.jax_gate.known_programs import Forgetting, canary, has_forgotten, lowered, programs_gone, times_traced, traced

X = np.ones(3, np.float32)


def test_what_was_traced_is_known_with_its_arguments_and_settings() -> None:
    def f(a: Any, n: int, *, b: Any = None) -> Any:
        return a["w"] * n

    before = times_traced()
    jax.jit(f, static_argnums=1)({"w": X}, 2, b=None)
    assert times_traced() > before
    (found,) = traced(lambda fun: fun is f)
    args, kwargs = found.args, found.kwargs
    assert (str(args[0]["w"]), args[1], kwargs, found.context) == ("float32[3]", 2, {"b": None}, trace_context())


def test_what_was_compiled_only_as_a_part_of_another_function_was_not_lowered() -> None:
    def inner(a: Any) -> Any:
        return a * 2

    jitted: Any = jax.jit(inner)
    source = str(jitted._jit_info.fun_sourceinfo)
    jax.jit(lambda a: jitted(a) + 1)(X)
    assert lowered(source) == []
    jitted(X)
    assert [[str(aval) for aval in found.in_avals] for found in lowered(source) or []] == [["float32[3]"]]


def test_nothing_is_known_of_what_is_gone() -> None:
    assert list(traced(lambda fun: False)) == []


def test_it_is_seen_when_jax_forgets() -> None:
    forgetting = Forgetting()
    assert forgetting.look() == forgetting.look() == 0
    jax.clear_caches()
    assert forgetting.look() == forgetting.look() == 1
    assert canary(3) == 3


def test_programs_whose_functions_are_gone_are_counted() -> None:
    kept = jax.jit(lambda a: a * 0.1328125)
    kept(X)
    before = programs_gone()
    jax.jit(lambda a: a * 0.1640625)(X)
    gc.collect()
    assert programs_gone() == before + 1
    assert not has_forgotten()
    jax.clear_caches()
    assert has_forgotten()
    kept(X)
    assert not has_forgotten(), "it knows of what came later"
