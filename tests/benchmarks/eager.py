"""The small MLP with JAX as it runs when nobody writes `jit`: each operation on its own."""

from functools import partial

import jax

from tests.benchmarks.loops import JITTED, RATE, Jitted
from tests.benchmarks.models import Model


class Eager(Jitted):
    """The loop without ``jax.jit``."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.gradient = jax.value_and_grad(partial(model.loss, JITTED))

    def step(self) -> None:
        """One step of gradient descent."""
        self.loss, grads = self.gradient(self.params, self.inputs, self.labels)
        self.params = jax.tree.map(lambda p, g: p - RATE * g, self.params, grads)
