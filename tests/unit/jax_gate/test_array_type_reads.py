"""How often an instance of a registered class hands its array out, and where the class keeps control."""

import operator
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.core import Tracer

X = jnp.arange(1, 7).reshape(2, 3)
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "gt", "ge", "eq", "ne")


@pytest.mark.parametrize("left", [X, np.asarray(X), np.int32(2), 2, jnp.int32(2)], ids=lambda left: type(left).__name__)
@pytest.mark.parametrize("name", OPERATORS)
def test_the_class_decides_what_an_operator_with_it_on_the_right_does(name, left, foreign):
    function = getattr(operator, name)
    result = function(left, foreign(X))
    assert type(result) is foreign and foreign.reads == []
    assert (result.array == function(left, X)).all()


@pytest.mark.parametrize("left", [X, np.asarray(X)], ids=["jax", "numpy"])
def test_so_does_matmul(left, foreign):
    result = left @ foreign(X.T)
    assert type(result) is foreign and foreign.reads == []
    assert (result.array == X @ X.T).all()


@pytest.mark.parametrize("transformed", [jax.jit, jax.grad, lambda f: lambda x: jax.vmap(f)(x[None])])
@pytest.mark.parametrize("name", ["add", "mul", "sub", "truediv"])
def test_a_tracer_on_the_left_leaves_the_result_to_the_class(name, transformed, foreign):
    value, seen = foreign(X * 1.0), []

    def function(x):
        result = getattr(operator, name)(x, value)
        seen.append(isinstance(result, Tracer))
        return result.sum()

    transformed(function)(X * 2.0)
    assert seen == [True] and foreign.reads == []


READ_ONCE = {
    "sin": jnp.sin,
    "add": lambda t: jnp.add(t, X),
    "asarray": jnp.asarray,
    "array": jnp.array,
    "array of a list": lambda t: jnp.array([t, 0 * X]),
    "concatenate": lambda t: jnp.concatenate([t, X]),
    "jit": jax.jit(lambda t: t * 2),
    "jit of a dict": lambda t: jax.jit(lambda tree: tree["a"] * 2)({"a": t}),
    "grad": lambda t: jax.grad(lambda x: (x * 1.0).sum(), allow_int=True)(t),
    "vmap": lambda t: jax.vmap(jnp.sum)(t),
    "index": lambda t: jnp.arange(9)[t],
    "at": lambda t: jnp.zeros(9).at[t].set(1),
    "device_put": jax.device_put,
    "device_get": jax.device_get,
    "lower and call": lambda t: jax.jit(jnp.sin).lower(t).compile()(t),
    "closing over": lambda t: jax.jit(lambda x: jnp.multiply(x, t))(X),
}


@pytest.mark.parametrize("name", READ_ONCE)
def test_is_read_once(name, foreign):
    READ_ONCE[name](foreign(X))
    assert len(foreign.reads) == 1


def test_each_call_of_a_compiled_function_reads_once(foreign):
    compiled, traced = jax.jit(lambda x: traced.append(x) or x * 2), []
    for count in range(1, 4):
        assert (compiled(foreign(X + count)) == (X + count) * 2).all()
        assert foreign.reads == ["concrete"] * count
    assert (compiled(X) == X * 2).all()
    assert len(traced) == 1, "compiled once for instances and arrays alike"


READ_NEVER = {
    "eval_shape": lambda t: jax.eval_shape(lambda x: x * 2, t),
    "eval_shape of a compiled function": lambda t: jax.jit(lambda x: x * 2).eval_shape(t),
    "make_jaxpr": lambda t: jax.make_jaxpr(lambda x: x * 2)(t),
    "lower": lambda t: jax.jit(lambda x: x * 2).lower(t),
    "typeof": jax.typeof,
    "shape": jnp.shape,
    "result_type": lambda t: jnp.result_type(t, 1),
    "ShapeDtypeStruct": lambda t: jax.ShapeDtypeStruct(t.shape, t.dtype),
    "tree.leaves": lambda t: jax.tree.leaves({"a": t}),
    "block_until_ready": jax.block_until_ready,
}


@pytest.mark.parametrize("name", READ_NEVER)
def test_is_not_read(name, foreign):
    READ_NEVER[name](foreign(X))
    assert foreign.reads == []


def test_is_traced_with_the_type_that_it_states(foreign):
    assert jax.eval_shape(jnp.sin, foreign(X)).shape == X.shape
    weak = foreign(jnp.asarray(2.0))
    assert jax.typeof(weak).weak_type and not jax.typeof(foreign(jnp.float32(2))).weak_type
    [invar] = jax.make_jaxpr(jnp.sin)(weak).in_avals
    assert invar.weak_type and invar.dtype == "float32"


def test_asarray_hands_out_the_very_array(foreign):
    assert jnp.asarray(foreign(X)) is X or jnp.asarray(foreign(X)).unsafe_buffer_pointer() == X.unsafe_buffer_pointer()


def test_is_no_array_to_isinstance(foreign):
    assert not isinstance(foreign(X), jax.Array)
    assert not jax.tree_util.all_leaves([[foreign(X)]]) and jax.tree_util.all_leaves([foreign(X)])


OTHER_DEVICE = """
import jax, jax.numpy as jnp
from x10_jupyter.jax_gate.array_type import register_array_type

class Foreign:
    def __init__(self, array):
        self.array, self.shape, self.dtype, self.ndim = array, array.shape, array.dtype, array.ndim

register_array_type(Foreign, lambda t: jax.typeof(t.array), lambda t: t.array)
second = jax.devices()[1]
for array in (jax.device_put(jnp.arange(3.0), second), jnp.arange(3.0)):
    for function in (jax.jit(lambda x: x * 2), jnp.sin, jax.lax.sin, jax.grad(lambda x: (x * x).sum()), jax.device_put, jnp.asarray, jax.vmap(jnp.sin)):
        given, wanted = function(Foreign(array)), function(array)
        assert (given.devices(), given.committed) == (wanted.devices(), wanted.committed), function
"""


def test_its_array_stays_on_its_device():
    environment = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "PYTHONPATH": ":".join(filter(None, sys.path))}
    ran = subprocess.run([sys.executable, "-c", OTHER_DEVICE], env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
