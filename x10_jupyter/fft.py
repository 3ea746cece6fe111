"""``jax.numpy.fft`` with every array function recorded lazily."""

import jax.numpy.fft

from x10_jupyter.lazy.api import members

__getattr__, __dir__ = members(jax.numpy.fft, globals())
