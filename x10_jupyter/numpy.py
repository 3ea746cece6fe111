"""``jax.numpy`` with every array function recorded lazily; follows the array API standard."""

import sys

import jax.numpy

from x10_jupyter.lazy.api import Tensor, members

__getattr__, __dir__ = members(jax.numpy, globals())

Tensor.namespace = sys.modules[__name__]
