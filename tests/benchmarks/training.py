"""A steady training loop on the digits that come with scikit-learn: one program, beside the same step in ``jax.jit``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits

import x10_jupyter as x10
from tests.benchmarks.timing import old_collections, paired

STEPS = 1000
RATE = 0.1
Params = dict[str, Any]


def loss_of(xp: Any, params: Params, images: Any, labels: Any) -> Any:
    """Mean cross-entropy of an MLP with one hidden layer."""
    hidden = xp.tanh(images @ params["w1"] + params["b1"])
    scores = hidden @ params["w2"] + params["b2"]
    return (xp.log(xp.exp(scores).sum(-1)) - (scores * labels).sum(-1)).mean()


def start() -> Params:
    """Weights to begin with."""
    rng = np.random.default_rng(0)
    return {
        "w1": (rng.normal(size=(64, 64)) * 0.1).astype(np.float32), "b1": np.zeros(64, np.float32),
        "w2": (rng.normal(size=(64, 10)) * 0.1).astype(np.float32), "b2": np.zeros(10, np.float32),
    }  # fmt: skip


def data() -> tuple[np.ndarray, np.ndarray]:
    """Images in [0, 1], and one-hot labels."""
    images, labels = load_digits(return_X_y=True)
    return (images[:128] / 16).astype(np.float32), np.eye(10, dtype=np.float32)[labels[:128]]


@dataclass
class Lazy:
    """The loop with lazy tensors."""

    def __post_init__(self) -> None:
        self.params = {name: x10.tensor(value) for name, value in start().items()}
        self.images, self.labels = [x10.tensor(part) for part in data()]
        self.loss: Any = None

    def step(self) -> None:
        """One step of gradient descent."""
        self.loss, grads = x10.value_and_grad(lambda p: loss_of(x10.numpy, p, self.images, self.labels))(self.params)
        self.params = {name: value - RATE * grads[name] for name, value in self.params.items()}
        x10.barrier()


@dataclass
class Jitted:
    """The loop as one would write it with ``jax.jit``."""

    def __post_init__(self) -> None:
        self.params: Params = {name: jnp.asarray(value) for name, value in start().items()}
        self.images, self.labels = map(jnp.asarray, data())
        self.loss: Any = None

        def update(params: Params, images: Any, labels: Any) -> tuple[Any, Params]:
            loss, grads = jax.value_and_grad(lambda p: loss_of(jnp, p, images, labels))(params)
            return loss, {name: value - RATE * grads[name] for name, value in params.items()}

        self.update = jax.jit(update)

    def step(self) -> None:
        """One step of gradient descent."""
        self.loss, self.params = self.update(self.params, self.images, self.labels)


def rows() -> Iterator[str]:
    """The table."""
    with x10.capture() as recorded:
        lazy = Lazy()
        for _ in range(STEPS):
            lazy.step()
    jitted = Jitted()
    before = old_collections()

    def stepped(loop: Lazy | Jitted) -> None:
        for _ in range(50):
            loop.step()
        loop.loss.block_until_ready()

    pair = paired(lambda: stepped(lazy), lambda: stepped(jitted), count=50)
    passes = old_collections() - before
    yield "| training an MLP on the digits | |"
    yield "| --- | ---: |"
    yield f"| programs compiled in {STEPS:,} steps | {len(recorded.capture.compiles)} |"
    yield f"| lazy step | {pair.ours_us:.0f} µs |"
    yield f"| hand-written `jax.jit` step | {pair.theirs_us:.0f} µs |"
    yield f"| ratio | {pair.ratio:.2f} |"
    yield f"| passes of the collector over old objects in 800 steps of each | {passes} |"
