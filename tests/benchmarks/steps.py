"""Training steps in the steady state: lazy tensors beside hand-written ``jax.jit`` with donation, PyTorch/XLA and PyTorch."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from tests.benchmarks.eager import Eager
from tests.benchmarks.loops import Jitted, Lazy
from tests.benchmarks.models import MODELS
from tests.benchmarks.peer import Peer, started
from tests.benchmarks.timing import paired

SIZES = {"small": (100, 15), "mlp": (20, 15), "transformer": (4, 9), "resnet32": (4, 9), "resnet128": (2, 5)}
"""For each model how many steps are timed together, and how many pairs."""


def stepped(loop: Lazy | Jitted, count: int) -> None:
    """Some steps, one launched after the other as a training loop does, and then the wait for the last."""
    for _ in range(count):
        loop.step()
    loop.wait()


def recording_s(loop: Lazy, count: int) -> float:
    """How long a step takes to record while nothing runs, in the median."""
    found = []
    for _ in range(count):
        loop.step()
        found.append(loop.traced_s)
        loop.wait()
    return median(found)


def peer_step(peer: Peer | None, model: str, count: int) -> tuple[float, float] | None:
    """Seconds that the peer's step takes to record, and in all."""
    if peer is None:
        return None
    peer.ask(job="step", model=model)
    peer.ask(job="go", times=3)
    took: list[list[float]] = peer.ask(job="go", times=count)["took"]
    return median(a for a, _ in took), median(b for _, b in took)


def milliseconds(seconds: float | None) -> str:
    """For a table."""
    return "missing" if seconds is None else f"{seconds * 1e3:.3g} ms"


def rows(missing: dict[str, str]) -> Iterator[str]:
    """The table."""
    xla, torch = [started(name, missing) for name in ("torch_xla", "torch")]
    yield "| training step | lazy | `jax.jit` | speed beside `jax.jit` | recording | PyTorch/XLA's recording | ratio | PyTorch/XLA | PyTorch eager |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, (count, pairs) in SIZES.items():
        model = MODELS[name]()
        lazy, jitted = Lazy(model), Jitted(model)
        stepped(lazy, 3), stepped(jitted, 3)
        pair = paired(lambda lazy=lazy, n=count: stepped(lazy, n), lambda jitted=jitted, n=count: stepped(jitted, n), count=count, pairs=pairs)
        ours = recording_s(lazy, count * pairs)
        theirs, eager = peer_step(xla, name, pairs), peer_step(torch, name, min(pairs, 3))
        yield row(model.name, pair, ours, theirs, eager)
    yield ""
    yield small(missing)
    for peer in (xla, torch):
        if peer is not None:
            peer.close()


def row(name: str, pair: Any, ours: float, theirs: tuple[float, float] | None, eager: tuple[float, float] | None) -> str:
    """One model's."""
    traced, whole = theirs or (None, None)
    ratio = "missing" if traced is None else f"{ours / traced:.3f}"
    cells = [
        name, milliseconds(pair.ours_us / 1e6), milliseconds(pair.theirs_us / 1e6), f"{1 / pair.ratio:.3f}", milliseconds(ours), milliseconds(traced), ratio,
        milliseconds(whole), milliseconds(eager and eager[1]),
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def small(missing: dict[str, str]) -> str:
    """The small MLP beside JAX without ``jit``."""
    model = MODELS["small"]()
    lazy, eager = Lazy(model), Eager(model)
    pair = paired(lambda: stepped(lazy, 20), lambda: stepped(eager, 20), count=20, pairs=5)
    return f"{model.name}, nothing but overhead: {pair.ours_us / 1e3:.2f} ms a step, where JAX without `jit` takes {pair.theirs_us / 1e3:.1f} ms."
