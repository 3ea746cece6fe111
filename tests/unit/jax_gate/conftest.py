"""A class of arrays that JAX has never heard of, as the product's tensors are."""

import operator
from typing import ClassVar

import jax
import numpy as np
import pytest
from jax.core import Tracer

from x10_jupyter.jax_gate.array_type import REGISTRY, register_array_type, unregister_array_type
from x10_jupyter.jax_gate.config_watch import ConfigWatch


class Foreign:
    """Holds an array, counts how often it is handed out, and computes with operators without handing it out."""

    __slots__ = ("__weakref__", "array")
    __array_priority__ = 1000
    __hash__ = object.__hash__
    reads: ClassVar[list[str]] = []

    def __init__(self, array):
        self.array = array

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    aval = property(lambda self: jax.typeof(self.array))

    @property
    def sharding(self):
        self.reads.append("sharding")
        return self.array.sharding

    def concrete(self):
        self.reads.append("concrete")
        return self.array

    def described(self):
        return self.shape, self.dtype, getattr(self.array, "weak_type", False)

    def __array__(self, dtype=None, copy=None):
        self.reads.append("__array__")
        return np.asarray(self.array, dtype)

    def __index__(self):
        self.reads.append("__index__")
        return operator.index(self.array)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return map(Foreign, self.array)

    def __getitem__(self, index):
        return Foreign(self.array[index])

    def block_until_ready(self):
        self.array.block_until_ready()
        return self


def bare(value):
    return value.array if isinstance(value, Foreign) else value


def operation(function, *, swapped=False):
    def apply(self, other):
        left, right = (bare(other), self.array) if swapped else (self.array, bare(other))
        result = function(left, right)
        return result if isinstance(result, Tracer) else Foreign(result)

    return apply


BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
for name in BINARY:
    setattr(Foreign, f"__{name.strip('_')}__", operation(getattr(operator, name)))
    setattr(Foreign, f"__r{name.strip('_')}__", operation(getattr(operator, name), swapped=True))
for name in COMPARISONS:
    setattr(Foreign, f"__{name}__", operation(getattr(operator, name)))


@pytest.fixture(autouse=True, scope="module")
def jax_untouched():
    """What the product itself has registered with JAX is taken back during the tests of a module; to put it back takes a look at all objects."""
    types, watches = dict(REGISTRY.types), ConfigWatch.installed
    for cls in types:
        unregister_array_type(cls)
    for watch in watches:
        watch.uninstall()
    yield
    for cls, array_type in types.items():
        register_array_type(cls, *array_type)
    for watch in watches:
        assert watch.install()


@pytest.fixture
def foreign():
    """The class, registered."""
    register_array_type(Foreign, Foreign.described, Foreign.concrete)
    Foreign.reads.clear()
    yield Foreign
    unregister_array_type(Foreign)


@pytest.fixture
def unknown():
    """The class, not registered."""
    return Foreign
