"""What a call says."""

import inspect
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.observe.arguments import arguments
from x10_jupyter.observe.calls import inputs, key_of, known_names, look, outputs, transformed_by
from x10_jupyter.observe.wrappers import Asked

X = np.ones(3, np.float32)


def a_function_of_an_unusual_name(a: Any, n: int = 2) -> Any:
    return a * n


def test_names_of_what_jax_has_traced_are_known() -> None:
    jax.jit(a_function_of_an_unusual_name)(X)
    assert a_function_of_an_unusual_name.__name__ in known_names()
    assert "another_function_of_an_unusual_name" not in known_names()


def test_a_call_is_looked_at_as_its_jit_says_or_as_the_library_chooses() -> None:
    info = SimpleNamespace(fun_signature=inspect.signature(a_function_of_an_unusual_name), static_argnums=(1,), static_argnames=("n",))
    plain = look(Asked(a_function_of_an_unusual_name, (X, 3), {}), info)
    assert [(row.path, type(row.what).__name__) for row in plain.rows] == [("a", "Aval"), ("n", "Static")]
    chosen = look(Asked(len, ([X, "b"],), {}, is_static=lambda leaf: isinstance(leaf, str)), None)
    assert [type(row.what).__name__ for row in chosen.rows] == ["Node", "Aval", "Static"]
    model = look(Asked({"w": X}, (X,), {}, is_static=lambda _: False, is_tree=True), None)
    assert [row.path for row in model.rows] == ["self", "self['w']", "argument 0"]


def test_transformed_arguments_and_inputs_of_programs() -> None:
    seen: list[Any] = []

    def f(a: Any, b: Any) -> Any:
        seen.append(transformed_by(arguments(None, (a, b), {})))
        return (a * b).sum()

    jax.grad(f, 1)(X, X)
    assert seen == [("argument 1",)]
    assert inputs(None) == ()
    assert inputs(jax.make_jaxpr(f)(X, X)) == ("f32[3]", "f32[3]")
    assert (outputs(jax.make_jaxpr(f)(X, X)), outputs(None)) == (("f32[]",), ())


def test_a_program_is_told_by_its_call() -> None:
    def call(fun: Any, args: tuple[Any, ...]) -> CompilingCall:
        frame = inspect.currentframe()
        assert frame is not None
        return CompilingCall(fun, None, args, {}, None, is_ahead=False, is_for_shapes=False, frame=frame)

    one, other = call(len, (X,)), call(len, (X, X))
    assert key_of(one) == key_of(one) != key_of(other)
    assert key_of(call(None, ()))[2] == 0
