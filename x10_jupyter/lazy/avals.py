"""Shape, dtype and weak type of a value, interned so that they compare and hash by identity.

A value has two dtypes: the one that it says it has, and the one that the device holds it in. They differ in reduced precision.
"""

from typing import Any
from weakref import WeakValueDictionary

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core.primitives import convert_element_type_p

from x10_jupyter.lazy.context import x64_is_on
from x10_jupyter.records.avals import aval_text

INT32, INT64 = range(-(1 << 31), 1 << 31), range(-(1 << 63), 1 << 63)


class Aval:
    """What is known of a value without computing it. Make one with ``aval_of``: equal ones are the same object."""

    __slots__ = ("__weakref__", "dtype", "held_as", "is_reduced", "shape", "weak_type")

    dtype: Any
    """What the value says that it is, and is read as."""
    held_as: Any
    """What the device holds, and what JAX traces with."""
    is_reduced: bool
    """Whether the two differ."""
    shape: tuple[int, ...]
    weak_type: bool

    def __repr__(self) -> str:
        return aval_text(self.shape, str(self.dtype), weak=self.weak_type, held_as=str(self.held_as) if self.is_reduced else "")

    @property
    def size_bytes(self) -> int:
        """Bytes of the value's elements on the device."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.held_as.itemsize


_KNOWN: "WeakValueDictionary[tuple[tuple[int, ...], Any, bool, Any], Aval]" = WeakValueDictionary()


def aval_of(shape: tuple[int, ...], dtype: Any, weak_type: bool = False, held_as: Any = None) -> Aval:  # noqa: FBT001, FBT002 - NumPy's dtypes and JAX's have no common type
    """The one ``Aval`` of this shape, dtype, weak type and dtype on the device; the latter is the same when None."""
    key = (shape, dtype, weak_type, dtype if held_as is None else held_as)
    aval = _KNOWN.get(key)
    if aval is None:
        aval = Aval()
        aval.shape, aval.dtype, aval.weak_type, aval.held_as = key
        aval.is_reduced = aval.held_as != dtype
        # two threads may make it at once: the first one in stays
        aval = _KNOWN.setdefault(key, aval)
    return aval


def aval_of_array(array: jax.Array, dtype: Any = None) -> Aval:
    """The ``Aval`` of a JAX array or of anything with ``shape`` and ``dtype``, which says that it is of a given dtype, or of its own when None."""
    return aval_of(tuple(array.shape), array.dtype if dtype is None else dtype, bool(getattr(array, "weak_type", False)), array.dtype)


def spec(aval: Aval) -> ShapedArray:
    """What JAX's transformations take in place of a value; a ``jax.ShapeDtypeStruct`` would lose 64 bits when they are off, an array does not."""
    return ShapedArray(aval.shape, aval.held_as, weak_type=aval.weak_type)


def spec_as_said(aval: Aval) -> ShapedArray:
    """The same for a value that the device would hold as what it says it is."""
    return ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type)


def converted(x: Any, dtype: Any, *, weak_type: bool) -> Any:
    """An array with another dtype or weak type."""
    return convert_element_type_p.bind(x, new_dtype=dtype, weak_type=weak_type, sharding=None)


NUMBERS = (float, int, complex)
"""The Python numbers that can be parameters of a program; ``bool`` is not among them."""


def is_number(x: object) -> bool:
    """Whether something can be a parameter of a program: a Python number, or a NumPy scalar that JAX has a dtype for."""
    return x.__class__ in NUMBERS or (isinstance(x, np.generic) and not isinstance(x, NO_NUMBERS))


NO_NUMBERS = (np.flexible, np.object_, np.datetime64, np.timedelta64)


def is_too_big(x: Any) -> bool:
    """Whether a number is a whole one that does not fit the dtype that JAX has for it, so that it is up to the function what becomes of it."""
    if x.__class__ is int:
        return x not in INT32 and not (x64_is_on() and x in INT64)
    return isinstance(x, np.integer) and bool(x != x.astype(number_dtype(x.__class__)))


def number_dtype(kind: type) -> np.dtype:
    """The dtype that JAX gives a number of this kind under the current configuration."""
    return jnp.result_type(kind) if kind in NUMBERS else jax.dtypes.canonicalize_dtype(kind)


def number_aval(kind: type) -> Aval:
    """The scalar that a number of this kind is; weak-typed if it is Python's."""
    return aval_of((), number_dtype(kind), kind in NUMBERS)
