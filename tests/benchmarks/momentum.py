"""Training loops whose optimizer has a state: PyTorch/XLA compiles them twice, since its optimizers make their state in the first step."""

import time
from functools import partial
from typing import Any

import jax
import numpy as np

import x10_jupyter as x10
from tests.benchmarks import loops
from tests.benchmarks.models import Model, Params

MOMENTUM = 0.9


def moved(params: Params, speed: Params, grads: Params) -> tuple[Params, Params]:
    """Parameters and their speed after one step of gradient descent with momentum."""
    speed = jax.tree.map(lambda v, g: MOMENTUM * v + g, speed, grads)
    return jax.tree.map(lambda p, v: p - loops.RATE * v, params, speed), speed


class Lazy(loops.Lazy):
    """With lazy tensors."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.speed = jax.tree.map(lambda p: x10.tensor(np.zeros_like(p)), model.params)

    def moved(self) -> tuple[Any, Params, Params]:
        """One step; a function, so that the gradients are gone at the barrier."""
        loss, grads = self.gradient(self.params, self.inputs, self.labels)
        return loss, *moved(self.params, self.speed, grads)

    def step(self) -> None:
        """One step."""
        self.loss, self.params, self.speed = self.moved()
        x10.barrier()


class Jitted(loops.Jitted):
    """The loop as one would write it with ``jax.jit``."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        loss_of = partial(model.loss, loops.JITTED)

        def train(params: Params, speed: Params, inputs: Any, labels: Any) -> tuple[Any, Params, Params]:
            loss, grads = jax.value_and_grad(loss_of)(params, inputs, labels)
            return loss, *moved(params, speed, grads)

        self.speed = jax.tree.map(lambda p: jax.numpy.asarray(np.zeros_like(p)), model.params)
        self.train = jax.jit(train, donate_argnums=(0, 1))

    def step(self) -> None:
        """One step."""
        self.loss, self.params, self.speed = self.train(self.params, self.speed, self.inputs, self.labels)


def first_two_s(loop: Lazy | Jitted) -> tuple[float, float]:
    """Seconds of the first step, and of the first two."""
    start = time.perf_counter()
    found = []
    for _ in range(2):
        loop.step()
        loop.wait()
        found.append(time.perf_counter() - start)
    return found[0], found[1]
