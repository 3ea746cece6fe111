"""``jax.lax`` with every array function recorded lazily."""

import jax.lax

from x10_jupyter.lazy.api import members

__getattr__, __dir__ = members(jax.lax, globals())
