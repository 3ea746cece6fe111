"""Shape, dtype and weak type of a value, interned so that they compare and hash by identity."""

from typing import Any
from weakref import WeakValueDictionary

import jax
import jax.numpy as jnp
import numpy as np

from x10_jupyter.records.avals import aval_text


class Aval:
    """What is known of a value without computing it. Make one with ``aval_of``: equal ones are the same object."""

    __slots__ = ("__weakref__", "dtype", "shape", "weak_type", "wide")

    dtype: Any
    shape: tuple[int, ...]
    weak_type: bool
    wide: bool
    """Whether JAX narrows it unless 64-bit types are enabled."""

    def __repr__(self) -> str:
        return aval_text(self.shape, str(self.dtype), weak=self.weak_type)

    @property
    def size_bytes(self) -> int:
        """Bytes of the value's elements."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


_KNOWN: "WeakValueDictionary[tuple[tuple[int, ...], Any, bool], Aval]" = WeakValueDictionary()


def aval_of(shape: tuple[int, ...], dtype: Any, weak_type: bool = False) -> Aval:  # noqa: ANN401, FBT001, FBT002 - NumPy's dtypes and JAX's have no common type
    """The one ``Aval`` of this shape, dtype and weak type."""
    key = (shape, dtype, weak_type)
    aval = _KNOWN.get(key)
    if aval is None:
        aval = Aval()
        aval.shape, aval.dtype, aval.weak_type = key
        aval.wide = isinstance(dtype, np.dtype) and dtype.itemsize // (2 if dtype.kind == "c" else 1) == 8 and dtype.kind in "iufc"
        # two threads may make it at once: the first one in stays
        aval = _KNOWN.setdefault(key, aval)
    return aval


def aval_of_array(array: jax.Array) -> Aval:
    """The ``Aval`` of a JAX array or of anything with ``shape`` and ``dtype``."""
    return aval_of(tuple(array.shape), array.dtype, bool(getattr(array, "weak_type", False)))


def spec(aval: Aval) -> jax.ShapeDtypeStruct:
    """What JAX's transformations take in place of a value."""
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def narrow(array: jax.Array) -> jax.Array:
    """A 64-bit array as its 32-bit kind."""
    dtype = np.dtype({"f": np.float32, "i": np.int32, "u": np.uint32, "c": np.complex64}[array.dtype.kind])
    return jax.lax.convert_element_type(array, dtype)


NUMBERS = (float, int, complex)
"""The Python numbers that can be parameters of a program; ``bool`` is not among them."""


def number_dtype(kind: type) -> np.dtype:
    """The dtype that JAX gives a Python number of this kind under the current configuration."""
    return jnp.result_type(kind)


def number_aval(kind: type) -> Aval:
    """The weak-typed scalar that a Python number of this kind is."""
    return aval_of((), number_dtype(kind), True)
