"""PyTorch, eager or on XLA, as a peer: runs in an environment of its own, reads one job a line as JSON, and answers each with one line.

Jobs: ``{"job": "chain", "count": 1000}``, ``{"job": "step", "model": "mlp"}`` and ``{"job": "train", "model": "mlp"}``, a step with an optimizer, prepare;
``{"job": "go", "times": 3}`` runs what was prepared.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("PJRT_DEVICE", "CPU")
sys.path.insert(0, str(Path(__file__).parents[3]))

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody writes it

from tests.benchmarks.models import MODELS, Model

RATE = 0.01
ON_XLA = sys.argv[1] == "xla"
if ON_XLA:
    import torch_xla
    import torch_xla.debug.metrics as met

    DEVICE = torch_xla.device()
else:
    DEVICE = torch.device("cpu")


def cut() -> None:
    """End the step."""
    if ON_XLA:
        torch_xla.sync()


def wait() -> None:
    """Until nothing runs any more."""
    if ON_XLA:
        torch_xla.sync(wait=True)
        import torch_xla.core.xla_model as xm

        xm.wait_device_ops()


def on_device(array: Any) -> torch.Tensor:
    return torch.tensor(array).to(DEVICE)


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: mapped(fn, value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [mapped(fn, value) for value in tree]
    return fn(tree)


def leaves(tree: Any) -> list[torch.Tensor]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, list):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree]


def cross_entropy(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return -(F.log_softmax(scores, -1) * labels).sum(-1).mean()


def mlp_loss(params: Any, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    *hidden, (w, b) = params
    for weight, bias in hidden:
        x = F.relu(x @ weight + bias)
    return cross_entropy(x @ w + b, labels)


def normalised(x: torch.Tensor, part: Any, stride: int, padding: int) -> torch.Tensor:
    return F.batch_norm(F.conv2d(x, part["w"], stride=stride, padding=padding), None, None, part["scale"], part["offset"], training=True)


def resnet_loss(params: Any, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    x = F.relu(normalised(x, params["first"], 1, 1))
    for block in params["blocks"]:
        stride = 2 if "shortcut" in block and block["a"]["w"].shape[0] != block["a"]["w"].shape[1] else 1
        y = F.relu(normalised(x, block["a"], stride, 1))
        y = normalised(y, block["b"], 1, 1)
        if "shortcut" in block:
            x = normalised(x, block["shortcut"], stride, 0)
        x = F.relu(x + y)
    return cross_entropy(x.mean((2, 3)) @ params["w"] + params["b"], labels)


def attention(x: torch.Tensor, block: Any, heads: int) -> torch.Tensor:
    batch, tokens, width = x.shape
    q, k, v = [(x @ block[name]).reshape(batch, tokens, heads, width // heads).transpose(1, 2) for name in ("q", "k", "v")]
    scores = q @ k.transpose(-1, -2) * (width // heads) ** -0.5
    mask = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).tril()
    mixed = torch.softmax(torch.where(mask, scores, -1e9), -1) @ v
    return mixed.transpose(1, 2).reshape(batch, tokens, width) @ block["out"]


def transformer_loss(params: Any, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    x = params["embedding"][tokens] + params["position"]
    width = x.shape[-1:]
    for block in params["blocks"]:
        x = x + attention(F.layer_norm(x, width, block["s1"], block["o1"]), block, 4)
        x = x + F.gelu(F.layer_norm(x, width, block["s2"], block["o2"]) @ block["up"], approximate="tanh") @ block["down"]
    return cross_entropy(x @ params["scores"], labels)


LOSSES = {"mlp": mlp_loss, "small": mlp_loss, "resnet32": resnet_loss, "resnet128": resnet_loss, "transformer": transformer_loss}


def prepared(name: str, model: Model) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """Parameters and data in PyTorch's layout."""

    def moved(array: Any) -> torch.Tensor:
        return on_device(array.transpose(3, 2, 0, 1).copy() if array.ndim == 4 else array).requires_grad_()

    inputs = model.inputs.transpose(0, 3, 1, 2).copy() if name.startswith("resnet") else model.inputs
    return mapped(moved, model.params), on_device(inputs), on_device(model.labels)


def chain(count: int) -> Callable[[], float]:
    """Returns a function that records and cuts a chain, and says how long that took."""
    x, b = torch.full((8, 8), 1e-3, device=DEVICE), torch.full((8, 8), 1e-3, device=DEVICE)
    wait()
    kept: list[Any] = [None]

    def once() -> float:
        start = time.perf_counter()
        y = x
        for _ in range(count // 2):
            y = y + b
            y = y * b
        kept[0] = y
        cut()
        took = time.perf_counter() - start
        wait()
        return took

    return once


def step(name: str) -> Callable[[], tuple[float, float]]:
    """Returns a function that makes one step, and says how long it took to record, and in all."""
    params, inputs, labels = prepared(name, MODELS[name]())
    weights, loss_of = leaves(params), LOSSES[name]
    wait()

    def once() -> tuple[float, float]:
        start = time.perf_counter()
        loss = loss_of(params, inputs, labels)
        loss.backward()
        with torch.no_grad():
            for weight in weights:
                weight.sub_(weight.grad, alpha=RATE)
                weight.grad = None
        traced = time.perf_counter() - start
        cut()
        wait()
        return traced, time.perf_counter() - start

    return once


def train(name: str) -> Callable[[], tuple[float, float]]:
    """Returns a function that makes one step with PyTorch's own optimizer, with momentum, and says how long it took to record, and in all."""
    params, inputs, labels = prepared(name, MODELS[name]())
    loss_of, optimizer = LOSSES[name], torch.optim.SGD(leaves(params), lr=RATE, momentum=0.9)
    wait()

    def once() -> tuple[float, float]:
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = loss_of(params, inputs, labels)
        loss.backward()
        optimizer.step()
        traced = time.perf_counter() - start
        cut()
        wait()
        return traced, time.perf_counter() - start

    return once


def compiles() -> int:
    """Programs compiled so far."""
    data = met.metric_data("CompileTime") if ON_XLA else None
    return data[0] if data else 0


def answer(job: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    if job["job"] == "chain":
        state["once"] = chain(job["count"])
        return {}
    if job["job"] in ("step", "train"):
        state["once"] = {"step": step, "train": train}[job["job"]](job["model"])
        return {"compiles": compiles()}
    return {"took": [state["once"]() for _ in range(job["times"])], "compiles": compiles()}


def main() -> None:
    state: dict[str, Any] = {}
    print(json.dumps({"version": torch.__version__, "xla": torch_xla.__version__ if ON_XLA else None}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), state)), flush=True)


main()
