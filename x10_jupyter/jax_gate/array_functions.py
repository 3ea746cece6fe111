"""The functions in which JAX asks whether something is a ``jax.Array``."""

from functools import wraps
from typing import Protocol

import jax

from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.private import Private, private
from x10_jupyter.jax_gate.replacement import Replacement

FIX = "Call .data on a tensor before you pass it to JAX."


class Converter(Protocol):
    """Turns instances of the classes that JAX is to know into arrays."""

    classes: tuple[type, ...]

    def concrete(self, value: Private, /) -> Private:
        """The array of an instance; anything else as it is."""

    def concrete_items(self, value: Private, /) -> Private:
        """The same, looking into lists and tuples."""


def as_described(converter: Converter, value: Private) -> Private:
    """What to describe in place of a value: itself; its array if its type says that it is spread, but not over which devices; None if its type says it all."""
    if not isinstance(value, converter.classes):
        return value
    is_spread = any(names is not None for names in jax.typeof(value).sharding.spec)
    return converter.concrete(value) if is_spread else None


class Functions:
    """They are handed an array instead of an instance. Tried on jax 0.10.2 and 0.12.0.1. One is gone: UnsupportedJaxError."""

    def __init__(self) -> None:
        """Find them all, so that nothing is changed if one is missing."""
        # The beginning of most functions of jax.numpy.
        self.asarray = Replacement("jax._src.lax.lax", "asarray", fix=FIX)
        # jnp.array, and jnp.asarray which calls it: without this by way of NumPy, so without weak types and typed keys.
        self.array = Replacement("jax._src.numpy.array_constructors", "array", fix=FIX)
        # The beginning of x[…] and x.at[…].
        self.indices = Replacement("jax._src.numpy.indexing", "eliminate_deprecated_list_indexing", fix=FIX)
        # The beginning of the functions of jax.random: without this a typed key is taken for raw data.
        self.key = Replacement("jax._src.random.core", "_check_prng_key", fix=FIX)
        # A call of a compiled function, and jax.device_put: without these the array is moved to the default device.
        self.call = Replacement("jax._src.pjit", "_pjit_call_impl_python", fix=FIX)
        self.device_put = Replacement("jax._src.dispatch", "_device_put_impl", fix=FIX)
        # jit(…).trace, .lower and make_jaxpr: without this they ask the instance for .sharding, which only a computed array can tell.
        self.described = Replacement("jax._src.pjit", "convert_to_metaty", fix=FIX)
        self.described_as = private("jax._src.pjit", "create_meta_ty", fix=FIX)

    def replace(self, converter: Converter) -> None:  # noqa: C901, PLR0915 - a function of two lines for each of JAX's
        """Have them look for instances of the converter's classes first; of what one of them raises the user sees no frame of ours."""
        asarray, array, indices, key = self.asarray.original, self.array.original, self.indices.original, self.key.original
        call, device_put, described, described_as = self.call.original, self.device_put.original, self.described.original, self.described_as

        @wraps(asarray)
        def asarray_of(x: Private) -> Private:
            try:
                return asarray(converter.concrete(x))
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(array)
        def array_of(object: Private, *args: Private, **kwargs: Private) -> Private:  # noqa: A002 - JAX's own name for it
            try:
                return array(converter.concrete_items(object), *args, **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(indices)
        def indices_of(idx: Private) -> Private:
            try:
                return indices(tuple(map(converter.concrete, idx)) if isinstance(idx, tuple) else converter.concrete(idx))
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(key)
        def key_of(name: str, key_given: Private, **kwargs: Private) -> Private:
            try:
                return key(name, converter.concrete(key_given), **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(call)
        def call_of(*args: Private, **kwargs: Private) -> Private:
            try:
                return call(*map(converter.concrete, args), **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(device_put)
        def device_put_of(x: Private, **kwargs: Private) -> Private:
            try:
                return device_put(converter.concrete(x), **kwargs)
            except BaseException as error:
                without_ours(error)
                raise

        @wraps(described)
        def described_of(arg: Private) -> Private:
            concrete = as_described(converter, arg)
            # As JAX describes a tracer: nothing is known of its sharding.
            return described_as(jax.typeof(arg), None, None, True, False) if concrete is None else described(concrete)  # noqa: FBT003

        self.asarray.put(asarray_of)
        self.array.put(array_of)
        self.indices.put(indices_of)
        self.key.put(key_of)
        self.call.put(call_of)
        self.device_put.put(device_put_of)
        self.described.put(described_of)

    def restore(self) -> None:
        """Give JAX its own functions back."""
        for each in (self.asarray, self.array, self.indices, self.key, self.call, self.device_put, self.described):
            each.undo()
