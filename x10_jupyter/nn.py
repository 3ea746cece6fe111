"""``jax.nn`` with every array function recorded lazily."""

import jax.nn

from x10_jupyter.lazy.api import members

__getattr__, __dir__ = members(jax.nn, globals())
