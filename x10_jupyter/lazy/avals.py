"""Shape, dtype and weak type of a value, interned so that they compare and hash by identity.

A value has two dtypes: the one that it says it has, and the one that the device holds it in. They differ in reduced precision, and
where whole numbers of 64 bits are held in 32.
"""

from functools import lru_cache
from itertools import zip_longest
from typing import Any
from weakref import WeakValueDictionary

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.sharding import AxisType, NamedSharding

from x10_jupyter.jax_gate.extended import convert_element_type_p
from x10_jupyter.lazy.context import REDUCED, x64_is_on
from x10_jupyter.records.avals import aval_text

INT32, INT64 = range(-(1 << 31), 1 << 31), range(-(1 << 63), 1 << 63)


class Aval:
    """What is known of a value without computing it. Make one with ``aval_of``: equal ones are the same object."""

    __slots__ = ("__weakref__", "dtype", "held_as", "is_narrow", "is_reduced", "is_smooth", "shape", "sharding", "weak_type")

    dtype: Any
    """What the value says that it is, and is read as."""
    held_as: Any
    """What the device holds, and what JAX traces with."""
    is_narrow: bool
    """Whether the two differ."""
    is_reduced: bool
    """Whether it is a float in reduced precision."""
    is_smooth: bool
    """Whether values of this dtype have gradients."""
    shape: tuple[int, ...]
    sharding: NamedSharding | None
    """How it is spread, as far as that is part of its type: over the explicit axes of a mesh."""
    weak_type: bool

    def __repr__(self) -> str:
        lengths = self.shape if self.sharding is None else lengths_over(self.shape, self.sharding.spec)
        return aval_text(lengths, str(self.dtype), weak=self.weak_type, held_as=str(self.held_as) if self.is_narrow else "")

    @property
    def size_bytes(self) -> int:
        """Bytes of the value's elements on the device."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.held_as.itemsize


def lengths_over(shape: tuple[int, ...], spec: Any) -> list[str]:
    """The lengths of dimensions, each with the axes that it is spread over, as JAX writes them: ``16@x``."""
    named = ["" if names is None else f"@{'+'.join(names) if isinstance(names, tuple) else names}" for names in spec]
    return [f"{length}{over}" for length, over in zip_longest(shape, named, fillvalue="")]


_KNOWN: "WeakValueDictionary[tuple[tuple[int, ...], Any, bool, Any, NamedSharding | None], Aval]" = WeakValueDictionary()


def aval_of(  # NumPy's dtypes and JAX's have no common type
    shape: tuple[int, ...],
    dtype: Any,
    weak_type: bool = False,  # noqa: FBT001, FBT002 - as JAX has it
    held_as: Any = None,
    sharding: NamedSharding | None = None,
) -> Aval:
    """The one ``Aval`` of this shape, dtype, weak type, dtype on the device (the same when None) and explicit sharding."""
    key = (shape, dtype, weak_type, dtype if held_as is None else held_as, sharding)
    aval = _KNOWN.get(key)
    if aval is None:
        aval = Aval()
        aval.shape, aval.dtype, aval.weak_type, aval.held_as, aval.sharding = key
        aval.is_narrow = aval.held_as != dtype
        aval.is_reduced = aval.is_narrow and aval.held_as == REDUCED
        aval.is_smooth = is_inexact(dtype)
        # two threads may make it at once: the first one in stays
        aval = _KNOWN.setdefault(key, aval)
    return aval


@lru_cache(maxsize=256)
def is_inexact(dtype: Any) -> bool:
    """Whether a dtype has fractions; JAX takes its time to say."""
    return jnp.issubdtype(dtype, jnp.inexact)


def aval_of_array(array: jax.Array, dtype: Any = None) -> Aval:
    """The ``Aval`` of a JAX array or of anything with ``shape`` and ``dtype``, which says that it is of a given dtype, or of its own when None."""
    weak_type = bool(getattr(array, "weak_type", False))
    return aval_of(tuple(array.shape), array.dtype if dtype is None else dtype, weak_type, array.dtype, explicit_sharding(array))


def explicit_sharding(array: Any) -> NamedSharding | None:
    """How an array, or what is like one, is spread over a mesh whose axes are part of types; None if it is not."""
    sharding = getattr(array, "sharding", None)
    if not isinstance(sharding, NamedSharding) or AxisType.Explicit not in sharding.mesh.axis_types:
        return None
    described: Any = sharding if isinstance(array, ShapedArray) else jax.typeof(array).sharding
    return described if any(names is not None for names in described.spec) else None


def spec(aval: Aval) -> ShapedArray:
    """What JAX's transformations take in place of a value; a ``jax.ShapeDtypeStruct`` would lose 64 bits when they are off, an array does not."""
    return ShapedArray(aval.shape, aval.held_as, weak_type=aval.weak_type, sharding=aval.sharding)


def spec_as_said(aval: Aval) -> ShapedArray:
    """The same for a value that the device would hold as what it says it is."""
    return ShapedArray(aval.shape, aval.dtype, weak_type=aval.weak_type, sharding=aval.sharding)


def converted(x: Any, dtype: Any, *, weak_type: bool) -> Any:
    """An array with another dtype or weak type."""
    return convert_element_type_p.bind(x, new_dtype=dtype, weak_type=weak_type, sharding=None)


def is_array(x: object) -> bool:
    """Whether a function's result is data, not a plain Python value such as a shape."""
    return isinstance(x, jax.Array) or (hasattr(x, "dtype") and hasattr(x, "shape") and not isinstance(x, type))


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
