"""The models that training steps are measured with, written once for `jax.numpy` and for lazy tensors; the peers have losses of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Params = Any
Loss = Callable[[Any, Params, Any, Any], Any]


@dataclass(frozen=True, kw_only=True)
class Model:
    """What to train."""

    name: str
    loss: Loss
    """Of a namespace, parameters, inputs and one-hot labels."""
    params: Params
    """NumPy arrays."""
    inputs: np.ndarray
    labels: np.ndarray


def weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random weights that keep the size of what goes through."""
    return (rng.normal(size=shape) * np.sqrt(2 / np.prod(shape[:-1]))).astype(np.float32)


def one_hot(rng: np.random.Generator, count: int, classes: int = 10) -> np.ndarray:
    """Random labels."""
    return np.eye(classes, dtype=np.float32)[rng.integers(classes, size=count)]


def cross_entropy(m: Any, scores: Any, labels: Any) -> Any:
    """Mean over the batch."""
    return -m.np.mean(m.np.sum(m.nn.log_softmax(scores) * labels, axis=-1))


def mlp_loss(m: Any, params: Params, x: Any, labels: Any) -> Any:
    """Layers of one width, and one of scores."""
    *hidden, (w, b) = params
    for weight, bias in hidden:
        x = m.nn.relu(x @ weight + bias)
    return cross_entropy(m, x @ w + b, labels)


def mlp(layers: int, width: int, batch: int) -> Model:
    """A multi-layer perceptron."""
    rng = np.random.default_rng(0)
    sizes = [width] * (layers + 1) + [10]
    params = [(weights(rng, a, b), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    inputs = rng.normal(size=(batch, width)).astype(np.float32)
    return Model(name=f"{layers}×{width} MLP, batch {batch}", loss=mlp_loss, params=params, inputs=inputs, labels=one_hot(rng, batch))


def convolved(m: Any, x: Any, w: Any, stride: int) -> Any:
    """A convolution of images."""
    return m.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalised(m: Any, x: Any, scale: Any, offset: Any) -> Any:
    """Batch normalisation, as in training."""
    return m.nn.standardize(x, axis=(0, 1, 2)) * scale + offset


def resnet_loss(m: Any, params: Params, x: Any, labels: Any) -> Any:
    """A residual network for small images: a convolution, three groups of blocks, and the mean over each image."""
    x = m.nn.relu(normalised(m, convolved(m, x, params["first"]["w"], 1), params["first"]["scale"], params["first"]["offset"]))
    for block in params["blocks"]:
        stride = 2 if "shortcut" in block and block["a"]["w"].shape[2] != block["a"]["w"].shape[3] else 1
        y = m.nn.relu(normalised(m, convolved(m, x, block["a"]["w"], stride), block["a"]["scale"], block["a"]["offset"]))
        y = normalised(m, convolved(m, y, block["b"]["w"], 1), block["b"]["scale"], block["b"]["offset"])
        if "shortcut" in block:
            x = normalised(m, convolved(m, x, block["shortcut"]["w"], stride), block["shortcut"]["scale"], block["shortcut"]["offset"])
        x = m.nn.relu(x + y)
    x = m.np.mean(x, axis=(1, 2))
    return cross_entropy(m, x @ params["w"] + params["b"], labels)


def convolution(rng: np.random.Generator, size: int, inside: int, outside: int) -> dict[str, np.ndarray]:
    """Parameters of a convolution with its normalisation."""
    return {"w": weights(rng, size, size, inside, outside), "scale": np.ones(outside, np.float32), "offset": np.zeros(outside, np.float32)}


def resnet(batch: int, depth: int = 56) -> Model:
    """ResNet for CIFAR-10, as in the table of the Swift for TensorFlow paper."""
    rng = np.random.default_rng(0)
    blocks, inside = [], 16
    for outside in (16, 32, 64):
        for _ in range((depth - 2) // 6):
            block = {"a": convolution(rng, 3, inside, outside), "b": convolution(rng, 3, outside, outside)}
            if inside != outside:
                block["shortcut"] = convolution(rng, 1, inside, outside)
            blocks.append(block)
            inside = outside
    params = {"first": convolution(rng, 3, 3, 16), "blocks": blocks, "w": weights(rng, 64, 10), "b": np.zeros(10, np.float32)}
    inputs = rng.normal(size=(batch, 32, 32, 3)).astype(np.float32)
    return Model(name=f"ResNet-{depth}, CIFAR-10 shapes, batch {batch}", loss=resnet_loss, params=params, inputs=inputs, labels=one_hot(rng, batch))


def layer_norm(m: Any, x: Any, scale: Any, offset: Any) -> Any:
    """Normalisation over the features of each token."""
    return m.nn.standardize(x, axis=-1) * scale + offset


def attention(m: Any, x: Any, block: Params, heads: int) -> Any:
    """Causal self-attention."""
    batch, tokens, width = x.shape
    q, k, v = [(x @ block[name]).reshape(batch, tokens, heads, width // heads) for name in ("q", "k", "v")]
    scores = m.np.einsum("bthd,bshd->bhts", q, k) * (width // heads) ** -0.5
    mask = m.np.tril(m.np.ones((tokens, tokens), bool))
    mixed = m.np.einsum("bhts,bshd->bthd", m.nn.softmax(m.np.where(mask, scores, -1e9)), v)
    return mixed.reshape(batch, tokens, width) @ block["out"]


def transformer_loss(m: Any, params: Params, tokens: Any, labels: Any) -> Any:
    """A decoder that predicts each next token."""
    x = params["embedding"][tokens] + params["position"]
    for block in params["blocks"]:
        x = x + attention(m, layer_norm(m, x, block["s1"], block["o1"]), block, 4)
        x = x + m.nn.gelu(layer_norm(m, x, block["s2"], block["o2"]) @ block["up"]) @ block["down"]
    return cross_entropy(m, x @ params["scores"], labels)


def transformer(layers: int = 4, width: int = 256, tokens: int = 128, batch: int = 16, words: int = 256) -> Model:
    """A small language model."""
    rng = np.random.default_rng(0)
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    blocks = [
        {**{name: weights(rng, width, width) for name in ("q", "k", "v", "out")}, "up": weights(rng, width, 4 * width), "down": weights(rng, 4 * width, width),
         "s1": ones, "o1": zeros, "s2": ones, "o2": zeros}
        for _ in range(layers)
    ]  # fmt: skip
    params = {
        "embedding": weights(rng, words, width), "position": weights(rng, tokens, width), "blocks": blocks, "scores": weights(rng, width, words),
    }  # fmt: skip
    inputs = rng.integers(words, size=(batch, tokens)).astype(np.int32)
    labels = np.eye(words, dtype=np.float32)[rng.integers(words, size=(batch, tokens))]
    return Model(
        name=f"{layers}-layer transformer, d={width}, {tokens} tokens, batch {batch}", loss=transformer_loss, params=params, inputs=inputs, labels=labels
    )


MODELS: dict[str, Callable[[], Model]] = {
    "mlp": lambda: mlp(50, 256, 128),
    "small": lambda: mlp(3, 64, 32),
    "resnet32": lambda: resnet(32),
    "resnet128": lambda: resnet(128),
    "transformer": transformer,
}
"""By the names that commands give them."""
