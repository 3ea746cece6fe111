"""Models train in mixed precision as well as in full."""

from itertools import pairwise
from typing import Any

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.records.runtime_events import Compiled, Executed

xnp = x10.numpy
EPOCHS, BATCH, SIZES = 10, 64, (64, 128, 64, 10)


def digits() -> Any:
    images, labels = load_digits(return_X_y=True)
    return train_test_split((images / 16).astype(np.float32), labels.astype(np.int32), test_size=0.25, random_state=0)


def weights() -> Any:
    rng = np.random.default_rng(0)
    return [
        {"w": x10.tensor((rng.normal(size=(i, o)) * np.sqrt(2 / i)).astype(np.float32)), "b": x10.tensor(np.zeros(o, np.float32))}
        for i, o in pairwise(SIZES)
    ]  # fmt: skip


def logits(layers: Any, x: Any) -> Any:
    for layer in layers[:-1]:
        x = x10.nn.relu(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def cross_entropy(layers: Any, x: Any, y: Any) -> Any:
    return -xnp.mean(xnp.take_along_axis(x10.nn.log_softmax(logits(layers, x)), y[:, None], axis=1))


def accuracy(mode: str | None) -> float:
    """Of the digits not trained on, after a few epochs of gradient descent with momentum."""
    train_x, test_x, train_y, test_y = digits()
    layers, rng = weights(), np.random.default_rng(1)
    momentum = jax.tree.map(lambda p: p * 0, layers)
    for _ in range(EPOCHS):
        order = rng.permutation(len(train_x))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            with x10.mixed_precision(mode):
                loss, slopes = x10.value_and_grad(cross_entropy)(layers, x10.tensor(train_x[chosen]), x10.tensor(train_y[chosen]))
            assert loss.is_reduced_precision is (mode is not None or x10.config.use_bf16)
            momentum = jax.tree.map(lambda m, s: 0.9 * m + s, momentum, slopes)
            layers = jax.tree.map(lambda p, m: p - 0.05 * m, layers, momentum)
            x10.barrier()
    assert x10.is_reduced_precision(layers) is x10.config.use_bf16
    return float(np.mean(np.argmax(np.asarray(logits(layers, x10.tensor(test_x))), axis=1) == test_y))


def test_the_digits_are_learnt_to_the_accuracy_of_full_precision() -> None:
    full = accuracy(None)
    with listening() as events:
        mixed = accuracy("bf16")
    assert full > 0.95
    assert abs(full - mixed) <= 0.01
    assert sum(e.function.endswith("accuracy") for e in events if isinstance(e, Compiled)) <= 3  # the first momentum, the step, the last look


def test_so_they_are_where_everything_is_held_as_bfloat16() -> None:
    full = accuracy(None)
    with x10.config(XLA_USE_BF16=True), listening() as events:
        reduced = accuracy(None)
    assert full > 0.95
    assert abs(full - reduced) <= 0.01
    assert sum(e.function.endswith("accuracy") for e in events if isinstance(e, Compiled)) <= 3


class Net(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        x = nn.LayerNorm()(nn.relu(nn.Dense(32)(x)))
        return nn.Dense(10)(x)


def flax_model(x: Any) -> tuple[Any, Any]:
    net = Net()
    return jax.tree.map(x10.tensor, net.init(jax.random.key(0), x)), x10.lazy(net.apply)


def equinox_model(x: Any) -> tuple[Any, Any]:
    params, static = eqx.partition(eqx.nn.MLP(64, 10, 32, 2, key=jax.random.key(0)), eqx.is_array)
    return jax.tree.map(x10.tensor, params), x10.lazy(lambda p, x: jax.vmap(eqx.combine(p, static))(x))


@pytest.mark.parametrize("make", [flax_model, equinox_model], ids=["flax", "equinox"])
def test_models_and_optimizers_of_libraries(make: Any) -> None:
    x, y = x10.tensor(digits()[0][:64]), x10.tensor(digits()[2][:64])
    params, apply = make(x.data)
    optimizer = optax.adam(1e-2)
    state, update = jax.tree.map(x10.tensor, optimizer.init(jax.tree.map(lambda t: t.data, params))), x10.lazy(optimizer.update)
    add, losses = x10.lazy(optax.apply_updates), []
    slopes: Any = None

    @x10.mixed_precision("bf16")
    def loss(params: Any) -> Any:
        out = apply(params, x)
        assert out.is_reduced_precision
        return -xnp.mean(xnp.take_along_axis(x10.nn.log_softmax(out), y[:, None], axis=1))

    with listening() as events:
        for _ in range(15):
            value, slopes = x10.value_and_grad(loss)(params)
            changes, state = update(slopes, state, params)
            params = add(params, changes)
            losses.append(value)
            x10.barrier()
    assert not any(t.is_reduced_precision for t in jax.tree.leaves((params, state, slopes)))
    assert [sum(isinstance(e, kind) for e in events) for kind in (Compiled, Executed)] == [1, 15]
    assert float(losses[-1]) < 0.7 * float(losses[0])


def test_a_model_and_its_optimizer_may_be_reduced_whole() -> None:
    """X10's other way: everything reduced, nothing cast."""
    x, y = digits()[0][:64], x10.tensor(digits()[2][:64])
    layers = x10.to_reduced_precision(weights())
    x = x10.to_reduced_precision(x)
    optimizer = optax.sgd(0.05, momentum=0.9)
    state = x10.lazy(optimizer.init)(layers)
    first = last = cross_entropy(layers, x, y)
    slopes: Any = None
    for _ in range(10):
        last, slopes = x10.value_and_grad(cross_entropy)(layers, x, y)
        changes, state = x10.lazy(optimizer.update)(slopes, state, layers)
        layers = x10.lazy(optax.apply_updates)(layers, changes)
        x10.barrier()
    assert x10.is_reduced_precision((layers, state, slopes, last))
    assert float(last) < 0.7 * float(first)
    full = x10.to_full_precision(layers)
    assert not x10.is_reduced_precision(full) and jnp.asarray(full[0]["w"]).dtype == np.float32
