"""``jax.random`` with every array function recorded lazily."""

import jax.random

from x10_jupyter.lazy.api import members

__getattr__, __dir__ = members(jax.random, globals())
