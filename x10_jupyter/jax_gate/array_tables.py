"""The tables in which JAX looks up the class of what it was given."""

from collections.abc import Callable

import jax

from x10_jupyter.jax_gate.private import Private, missing, private

FIX = "Call .data on a tensor before you pass it to JAX."
ARRAYLIKE = "_arraylike_types"


class Tables:
    """Two tables and a tuple. Tried on jax 0.10.2 and 0.12.0.1. One is gone: UnsupportedJaxError."""

    def __init__(self) -> None:
        """Find them all, so that nothing is changed if one is missing."""
        # From a class to its abstract value: what jit, grad, vmap, lax and everything else that traces asks about an argument.
        self.avals = private("jax._src.core", "pytype_aval_mappings", fix=FIX)
        # From a class to one that JAX can put on a device: asked for each argument of a primitive. It has no way to take an entry out.
        self.canonicalize = private("jax._src.dtypes", "register_canonicalize_value_handler", fix=FIX)
        self.refused = private("jax._src.dtypes", "InvalidInputException", fix=FIX)
        # What jax.numpy accepts, a tuple for isinstance. The operators of an array have one of their own, which is why they still give way.
        self.numpy_util = private("jax._src.numpy", "util", fix=FIX)
        if not isinstance(self.avals, dict):
            raise missing("jax._src.core.pytype_aval_mappings as a dict", FIX)
        if not isinstance(private("jax._src.numpy.util", ARRAYLIKE, fix=FIX), tuple):
            raise missing(f"jax._src.numpy.util.{ARRAYLIKE} as a tuple", FIX)

    def enter(self, cls: type, aval: Callable[[Private], Private], concrete: Callable[[Private], jax.Array]) -> None:
        """Give JAX one class."""
        self.avals[cls] = aval
        self.canonicalize(cls, concrete)
        self.set_arraylike(cls, known=True)

    def remove(self, cls: type) -> None:
        """Have JAX refuse one class as if it had never known it."""

        def refuse(value: object) -> None:
            raise self.refused(f"Argument '{value}' of type {type(value)} is not a valid JAX type.")

        self.avals.pop(cls, None)
        self.canonicalize(cls, refuse)
        self.set_arraylike(cls, known=False)

    def set_arraylike(self, cls: type, *, known: bool) -> None:
        """Put the class among those that ``jax.numpy`` accepts, or take it out."""
        others = [each for each in getattr(self.numpy_util, ARRAYLIKE) if each is not cls]
        setattr(self.numpy_util, ARRAYLIKE, (*others, cls) if known else tuple(others))
