"""Makes JAX take another class of arrays for its own, wherever it asks what it was given."""

import threading
from collections.abc import Callable
from typing import NamedTuple

import jax
from jax.core import ShapedArray

from x10_jupyter.jax_gate.array_functions import Functions
from x10_jupyter.jax_gate.array_tables import Tables
from x10_jupyter.jax_gate.private import Private

TypeOf = Callable[[Private], Private]
"""From an instance to ``(shape, dtype, weak_type)``, or to what ``jax.typeof`` says of its array. It need not compute the array."""

Concrete = Callable[[Private], jax.Array]
"""From an instance to its array."""


def register_array_type(cls: type, typeof: TypeOf, concrete: Concrete) -> Callable[[], None]:
    """Let instances of a class, and of its subclasses, be passed to any function of JAX, alone or inside a pytree.

    They stay what they are to ``isinstance``. An operator with a ``jax.Array``, a tracer or a NumPy array on its left still leaves the result to
    the class, if that has the reflected operator and no ``__jax_array__`` and, for NumPy's sake, an ``__array_priority__``.

    JAX asks ``typeof`` as often as it likes, also when it only traces (``jax.eval_shape``, ``jax.make_jaxpr``), and ``concrete`` when it needs
    the values: mostly once for each time that an instance is passed, always once for one passed to a compiled function. It goes by the class
    itself in a few places: ``aval`` (``jnp.result_type`` and weak types), ``shape``, ``dtype`` and ``ndim``, ``__array__`` (``jax.device_get``,
    ``jnp.arange``), ``sharding`` if it has that (``jnp.zeros_like``), ``block_until_ready``, ``__index__`` (the ends of a slice), and operators
    and indexing inside functions that do not convert their arguments; what these return may be instances again.

    ``jit(f).lower(instance)`` lowers for the default device, since the array's own is not known before it is computed.
    What a function hands through unchanged may come back as the instance (from ``scan``, ``while_loop``, ``vmap``, ``jvp``), as a Python number does.

    Args:
        cls: The class. Registering it again replaces the two functions.
        typeof: Says what its array is like.
        concrete: Hands its array out.

    Returns:
        A function that undoes this, as ``unregister_array_type`` does.

    Raises:
        UnsupportedJaxError: The installed JAX lacks one of the tables and functions that this needs; then nothing is registered.
    """
    REGISTRY.add(cls, ArrayType(typeof, concrete))
    return lambda: unregister_array_type(cls)


def unregister_array_type(cls: type) -> None:
    """Let JAX refuse instances of the class again, harmless if it is not registered; JAX keeps a reference to the class for good."""
    REGISTRY.remove(cls)


class ArrayType(NamedTuple):
    """What JAX is told of one class."""

    typeof: TypeOf
    concrete: Concrete

    def aval(self, value: Private) -> Private:
        """An instance's type in JAX's words."""
        described = self.typeof(value)
        return ShapedArray(*described[:2], weak_type=described[2]) if isinstance(described, tuple) else described


class Registry:
    """The classes registered, and what of JAX was changed for them."""

    def __init__(self) -> None:
        """Know no class yet."""
        self.lock = threading.RLock()
        self.types: dict[type, ArrayType] = {}
        self.classes: tuple[type, ...] = ()
        self.tables: Tables | None = None
        self.functions: Functions | None = None

    def add(self, cls: type, array_type: ArrayType) -> None:
        """Tell JAX of a class."""
        with self.lock:
            if self.tables is None or self.functions is None:
                self.tables, self.functions = Tables(), Functions()
            self.tables.enter(cls, array_type.aval, array_type.concrete)
            if not self.types:
                self.functions.replace(self)
            self.types[cls] = array_type
            self.classes = tuple(self.types)

    def remove(self, cls: type) -> None:
        """Have JAX forget a class."""
        with self.lock:
            if self.types.pop(cls, None) is None or self.tables is None or self.functions is None:
                return
            self.classes = tuple(self.types)
            self.tables.remove(cls)
            if not self.types:
                self.functions.restore()
                self.tables = self.functions = None

    def concrete(self, value: Private) -> Private:
        """The array of an instance of a registered class; anything else as it is."""
        if isinstance(value, self.classes):
            for cls in type(value).__mro__:
                if cls in self.types:
                    return self.types[cls].concrete(value)
        return value

    def concrete_items(self, value: Private) -> Private:
        """The same with lists and tuples looked into; one that holds no such instance stays the same object."""
        if not isinstance(value, list | tuple):
            return self.concrete(value)
        items = [self.concrete_items(each) for each in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value


REGISTRY = Registry()
