"""Training loops whose optimizer has a state: PyTorch/XLA compiles them twice, since its optimizers make their state in the first step."""

import time
from functools import partial
from typing import Any

import jax
import numpy as np

import x10_jupyter as x10
from tests.benchmarks.loops import JITTED, LAZY, RATE
from tests.benchmarks.models import Model, Params

MOMENTUM = 0.9


class Lazy:
    """With lazy tensors."""

    def __init__(self, model: Model) -> None:
        self.gradient = x10.value_and_grad(partial(model.loss, LAZY))
        self.params = jax.tree.map(x10.tensor, model.params)
        self.speed = jax.tree.map(lambda p: x10.tensor(np.zeros_like(p)), model.params)
        self.inputs, self.labels = x10.tensor(model.inputs), x10.tensor(model.labels)
        self.loss: Any = None

    def update(self, params: Params, speed: Params) -> tuple[Any, Params, Params]:
        """One step of gradient descent with momentum; a function, so that the gradients are gone at the barrier."""
        loss, grads = self.gradient(params, self.inputs, self.labels)
        speed = jax.tree.map(lambda v, g: MOMENTUM * v + g, speed, grads)
        return loss, jax.tree.map(lambda p, v: p - RATE * v, params, speed), speed

    def step(self) -> None:
        """One step."""
        self.loss, self.params, self.speed = self.update(self.params, self.speed)
        x10.barrier()

    def wait(self) -> None:
        """Until nothing runs any more."""
        self.loss.block_until_ready()


class Jitted:
    """The loop as one would write it with ``jax.jit``."""

    def __init__(self, model: Model) -> None:
        loss_of = partial(model.loss, JITTED)

        def update(params: Params, speed: Params, inputs: Any, labels: Any) -> tuple[Any, Params, Params]:
            loss, grads = jax.value_and_grad(loss_of)(params, inputs, labels)
            speed = jax.tree.map(lambda v, g: MOMENTUM * v + g, speed, grads)
            return loss, jax.tree.map(lambda p, v: p - RATE * v, params, speed), speed

        self.params = jax.tree.map(jax.numpy.asarray, model.params)
        self.speed = jax.tree.map(lambda p: jax.numpy.asarray(np.zeros_like(p)), model.params)
        self.inputs, self.labels = jax.numpy.asarray(model.inputs), jax.numpy.asarray(model.labels)
        self.update = jax.jit(update, donate_argnums=(0, 1))
        self.loss: Any = None

    def step(self) -> None:
        """One step."""
        self.loss, self.params, self.speed = self.update(self.params, self.speed, self.inputs, self.labels)

    def wait(self) -> None:
        """Until nothing runs any more."""
        self.loss.block_until_ready()


def first_two_s(loop: Lazy | Jitted) -> tuple[float, float]:
    """Seconds of the first step, and of the first two."""
    start = time.perf_counter()
    found = []
    for _ in range(2):
        loop.step()
        loop.wait()
        found.append(time.perf_counter() - start)
    return found[0], found[1]
