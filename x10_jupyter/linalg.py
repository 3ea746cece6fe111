"""``jax.numpy.linalg`` with every array function recorded lazily."""

import jax.numpy.linalg

from x10_jupyter.lazy.api import members

__getattr__, __dir__ = members(jax.numpy.linalg, globals())
