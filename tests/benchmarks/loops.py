"""Training loops: with lazy tensors, and as one would write them with ``jax.jit``."""

import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax

import x10_jupyter as x10
from tests.benchmarks.models import Model, Params

LAZY = SimpleNamespace(np=x10.numpy, nn=x10.nn, lax=x10.lax)
JITTED = SimpleNamespace(np=jax.numpy, nn=jax.nn, lax=jax.lax)
RATE = 0.01


class Lazy:
    """A training loop with lazy tensors."""

    def __init__(self, model: Model) -> None:
        self.gradient = x10.value_and_grad(partial(model.loss, LAZY))
        self.params = jax.tree.map(x10.tensor, model.params)
        self.inputs, self.labels = x10.tensor(model.inputs), x10.tensor(model.labels)
        self.loss: Any = None
        self.traced_s = 0.0
        """How long the last step took to record."""

    def update(self, params: Params, inputs: Any, labels: Any) -> tuple[Any, Params]:
        """One step of gradient descent; a function, so that the gradients are gone at the barrier."""
        loss, grads = self.gradient(params, inputs, labels)
        return loss, jax.tree.map(lambda p, g: p - RATE * g, params, grads)

    def step(self) -> None:
        """One step."""
        start = time.perf_counter()
        self.loss, self.params = self.update(self.params, self.inputs, self.labels)
        self.traced_s = time.perf_counter() - start
        x10.barrier()

    def wait(self) -> None:
        """Until nothing runs any more."""
        self.loss.block_until_ready()


class Jitted:
    """The loop as one would write it with ``jax.jit``."""

    def __init__(self, model: Model) -> None:
        loss_of = partial(model.loss, JITTED)

        def update(params: Params, inputs: Any, labels: Any) -> tuple[Any, Params]:
            loss, grads = jax.value_and_grad(loss_of)(params, inputs, labels)
            return loss, jax.tree.map(lambda p, g: p - RATE * g, params, grads)

        self.params = jax.tree.map(jax.numpy.asarray, model.params)
        self.inputs, self.labels = jax.numpy.asarray(model.inputs), jax.numpy.asarray(model.labels)
        self.update = jax.jit(update, donate_argnums=0)
        self.loss: Any = None

    def step(self) -> None:
        """One step of gradient descent."""
        self.loss, self.params = self.update(self.params, self.inputs, self.labels)

    def wait(self) -> None:
        """Until nothing runs any more."""
        self.loss.block_until_ready()
