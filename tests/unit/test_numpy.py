"""`x10.numpy` is the array-API namespace of tensors; that it has all of JAX's names is tested with the mechanism."""

import inspect
from inspect import Parameter
from typing import Any

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import x10_jupyter as x10

BESIDES = {"Device", "ArrayAPIStrictFlags", "set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags", "__version__"}
"""What a strict implementation has besides the standard's names."""
IN_PLACE = {f"__i{name}__" for name in ("add", "and", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow", "rshift", "sub", "truediv", "xor")}
"""Not needed: Python assigns the result of the plain operator."""
NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def test_it_is_the_namespace_of_tensors() -> None:
    t = x10.tensor([1.0, 2.0])
    assert t.__array_namespace__() is x10.numpy
    assert (x10.numpy.pi, x10.numpy.newaxis, x10.numpy.ndarray) == (jnp.pi, None, jnp.ndarray)
    assert np.asarray(x10.numpy.concatenate([t, np.ones(1)])).tolist() == [1, 2, 1]


def test_what_makes_arrays_makes_tensors() -> None:
    for made in (x10.numpy.zeros(2), x10.numpy.arange(3), x10.numpy.linspace(0, 1, 3), x10.numpy.eye(2), x10.numpy.asarray([1, 2])):
        assert isinstance(made, x10.Tensor)


@pytest.mark.parametrize("space", ["", "linalg", "fft"])
def test_it_has_the_names_and_parameters_of_the_standard(space: str) -> None:
    standard, ours = (getattr(module, space) if space else module for module in (array_api_strict, x10.numpy))
    names = sorted({*standard.__all__} - BESIDES)
    assert [name for name in names if not hasattr(ours, name)] == []
    wanted = {name: getattr(standard, name) for name in names}
    refused = {name: refused_by(getattr(ours, name), fn) for name, fn in wanted.items() if inspect.isfunction(fn)}
    assert {name: parameters for name, parameters in refused.items() if parameters} == {}
    assert len(refused) > {"": 130, "linalg": 20, "fft": 10}[space]


def test_a_tensor_has_the_methods_and_properties_of_the_standard() -> None:
    wanted = {name: it for name, it in vars(type(array_api_strict.ones(1))).items() if name not in IN_PLACE and not is_private(name)}
    assert [name for name in wanted if not hasattr(x10.Tensor, name)] == []
    refused = {name: refused_by(getattr(x10.Tensor, name), it) for name, it in wanted.items() if inspect.isfunction(it)}
    del refused["to_device"]  # in the standard `stream` is given by name only
    assert {name: parameters for name, parameters in refused.items() if parameters} == {}
    t = x10.tensor([1.0])
    assert t.to_device(t.device, stream=None).device == t.device


def is_private(name: str) -> bool:
    return (name.startswith("_") and not name.startswith("__")) or name in {"__buffer__", "__module__", "__weakref__", "__dict__"}


def refused_by(ours: Any, standard: Any) -> list[str]:
    """The parameters of a function of the standard that ours does not take by name, and whether it takes too few by place."""
    wanted, taken = (inspect.signature(fn).parameters for fn in (standard, ours))
    missing = [p.name for p in wanted.values() if p.kind in NAMED and p.name != "self" and (p.name not in taken or taken[p.name].kind not in NAMED)]
    takes_any = any(p.kind is Parameter.VAR_POSITIONAL for p in taken.values())
    by_place = [sum(p.kind is not Parameter.KEYWORD_ONLY for p in parameters.values()) for parameters in (wanted, taken)]
    return missing if takes_any or by_place[1] >= by_place[0] else [*missing, f"{by_place[0]} by place"]


def test_hypothesis_finds_what_it_needs() -> None:
    made = make_strategies_namespace(x10.numpy)

    @settings(max_examples=20, deadline=None, database=None, derandomize=True)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        array = data.draw(made.arrays(made.scalar_dtypes(), made.array_shapes(max_dims=2, max_side=3)))
        assert isinstance(array, x10.Tensor)
        part = array[data.draw(made.indices(array.shape, allow_newaxis=True))]
        assert part.dtype == array.dtype

    with jax.enable_x64(True):  # the standard has 64-bit dtypes
        check()
