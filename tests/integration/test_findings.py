"""What is found in real runs: of lazy tensors, and of ordinary JAX."""

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.diagnosis.recurring import MOST
from x10_jupyter.records.findings import Finding
from x10_jupyter.session.alarms import CompileWarning
from x10_jupyter.session.result import Capture, load_capture
from x10_jupyter.session.root import WEIGHING


def kinds(found: Capture) -> dict[str, Finding]:
    """The largest finding of each kind; as the same from the file that a capture is saved in."""
    assert sum(one.share for one in found.findings if one.kind != "healthy" and one.size_bytes is None) <= 1 + 1e-9
    return {one.kind: one for one in reversed(found.findings)}


def test_a_lazy_loop_with_a_partial_batch(tmp_path: Any) -> None:
    weights: Any = x10.tensor(np.full((16, 4), 0.25, np.float32))

    def step(batch: np.ndarray[Any, Any]) -> None:
        x: Any = x10.tensor(batch)
        float(x10.numpy.sum(x10.numpy.tanh(x @ weights) * 0.6875))

    with x10.capture() as capturing:
        for rows in (32, 32, 17):
            step(np.ones((rows, 16), np.float32))
    found = kinds(capturing.capture)
    assert "recompile" in found
    assert "shape f32[32,16] → f32[17,16]" in found["recompile"].title
    assert "step" in found["recompile"].advice
    again = [one for one in capturing.capture.compiles if one.is_recompile]
    assert 0 < found["recompile"].seconds <= sum(one.seconds for one in again)
    capturing.capture.to_json(tmp_path / "capture.json")
    assert load_capture(tmp_path / "capture.json").findings == capturing.capture.findings


def test_a_loop_that_is_written_out_as_lazy_tensors() -> None:
    x: Any = x10.tensor(np.ones(3, np.float32))
    with x10.capture() as capturing, pytest.warns(CompileWarning, match="About to compile"):
        for _ in range(600):
            x = x10.numpy.arctan(x) * 1.5
        x10.barrier()
    found = kinds(capturing.capture)["huge_graph"]
    assert "1,200 operations, all of them from a loop written out 600 times at test_findings.py:" in found.title
    assert "x10.barrier()" in found.advice


def test_a_loop_that_keeps_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.observe.weighing.rest_after", lambda *_: 1000.0)  # when a thread looks on a busy machine nobody knows
    step: Any = jax.jit(lambda p, x: (p - 1e-3 * (p @ x), p @ x))

    def train(*, keeps: bool) -> Capture:
        p = x = jnp.full((256, 256), 1e-2)
        kept: list[Any] = []
        with x10.capture() as capturing:
            for turn in range(160):
                p, out = step(p, x)
                kept += [jax.block_until_ready(out)] if keeps else []
                if turn % 4 == 3:
                    WEIGHING.mark()  # as its thread does
        return capturing.capture

    # where a busy machine stops for a third of the time nobody can tell that it grew meanwhile
    found = next(found for _ in range(5) if (found := kinds(train(keeps=True)).get("memory_growth")) is not None)
    assert found.site is not None and found.site.function == "train"
    assert found.size_bytes == (160 + 1) * 256 * 256 * 4, "those that are kept, and the newest parameters"
    assert "memory_growth" not in kinds(train(keeps=False))


def test_a_short_loop_that_keeps_its_arrays_is_seen_and_one_that_makes_its_state_once_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("x10_jupyter.observe.weighing.rest_after", lambda *_: 1000.0)  # as above
    step: Any = jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda _, a: jnp.sin(a @ x), x))
    x = jnp.full((512, 512), 1e-3)

    def train(states: int, *, keeps: bool) -> Capture:
        with x10.capture() as capturing:
            made = [step(x) for _ in range(states)]
            for turn in range(24):
                y = step(x)
                float(y[0, 0])
                made += [y] if keeps else []
                if turn % 4 == 3:
                    WEIGHING.mark()
        assert made is not None
        return capturing.capture

    train(1, keeps=False)
    assert "memory_growth" not in kinds(train(24, keeps=False))
    found = kinds(train(0, keeps=True))["memory_growth"]
    assert found.site is not None and found.site.function == "train"


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Among many other tests a pass over all that is there takes longer than what is to be told."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_loop_of_two_thousand_operations_under_jit() -> None:
    def step(x: Any) -> Any:
        for _ in range(1_000):
            x = jnp.sin(x) * 1.25
        return x

    with x10.capture() as capturing, pytest.warns(CompileWarning, match="About to compile `step` of 2,000 operations"):
        jax.jit(step)(np.ones(3, np.float32))
    found = kinds(capturing.capture)["huge_graph"]
    assert "`step` of 2,000 operations, all of them from a loop written out 1,000 times at test_findings.py:" in found.title
    assert "jax.lax.scan" in found.advice
    assert found.site is not None
    assert found.site.line == step.__code__.co_firstlineno + 2
    assert found is capturing.capture.findings[0]
    assert "from a loop written out" in str(capturing.capture).partition("\n")[0]


def test_recompiles_that_keep_coming_are_warned_of_while_the_code_runs() -> None:
    with x10.capture() as capturing, pytest.warns(CompileWarning) as told:
        for number in range(9):
            jax.jit(lambda x: x * 2.75)(np.ones(3, np.float32))
            seen = len(told)
            assert seen == (number >= MOST + 1), "the first is no recompile"
    assert len(told) == 1
    assert "`<lambda>` is compiled again and again: 6 times in " in str(told[0].message)
    assert Path(told[0].filename).name == "test_findings.py"
    assert kinds(capturing.capture)["recompile"].title.startswith("compiling `<lambda>` again, 8 times: ")


def test_five_buckets_are_not_warned_of() -> None:
    step = jax.jit(lambda x: (x * 3.25).sum())
    with warnings.catch_warnings(record=True) as told, x10.capture():
        for rows in (8, 16, 32, 64, 128, 8, 16, 32, 64, 128):
            step(np.ones((rows, 2), np.float32))
    assert told == []


@pytest.mark.usefixtures("no_collector")
def test_an_eager_storm_is_told_by_the_function_that_ran_it() -> None:
    def init() -> list[Any]:
        return [jnp.zeros((rows, 3)) - 1.0 for rows in range(2, 14)]

    with x10.capture() as capturing:
        init()
    found = kinds(capturing.capture)["tiny_graphs"]
    assert "one-operation programs from `" in found.title
    assert "init" in found.title
    assert found is capturing.capture.findings[0]


def test_a_model_of_a_few_layers_is_not_too_large() -> None:
    def model(x: Any) -> Any:
        for layer in range(12):
            x = jnp.tanh(x @ jnp.full((4, 4), 0.01 * layer)) + x
        return x.sum()

    with x10.capture() as capturing:
        jax.jit(jax.grad(model))(np.ones((2, 4), np.float32))
    assert "huge_graph" not in kinds(capturing.capture)


def test_an_array_of_four_megabytes_that_is_closed_over() -> None:
    table = np.random.default_rng(0).normal(size=(256, 4096)).astype(np.float32)

    with x10.capture() as capturing:
        step = jax.jit(lambda x: jnp.tanh(x @ table).sum())
        for rows in (1, 2, 3):  # one alone takes less than what is told of, with some versions of JAX
            step(np.ones((rows, 256), np.float32))
        jax.jit(lambda x, table: jnp.tanh(x @ table).mean())(np.ones((1, 256), np.float32), table)
    found = kinds(capturing.capture)["constant_capture"]
    assert found.title == "compiling `<lambda>` with 4.00 MiB of arrays baked in: `table` f32[256,4096]"
    assert "pass `table` as an argument" in found.advice
    assert len([one for one in capturing.capture.findings if one.kind == "constant_capture"]) == 1


def test_a_model_that_runs_is_healthy() -> None:
    x: Any = x10.tensor(np.ones((900, 900), np.float32))

    def work() -> None:
        y = x
        for _ in range(12):
            y = y @ x * 1e-3
        x10.barrier(wait=True)

    def told() -> str:
        with x10.capture() as capturing:
            work()
        (found,) = capturing.capture.findings
        return f"{found.kind}: {capturing.capture}"

    work()
    seen = [told() for _ in range(5)]  # while others want the cores, what a run waits for them is rightly called unexplained
    assert any(each.startswith("healthy: Nothing to fix: ") for each in seen), seen


def test_operations_in_a_loop_outside_any_jit_are_counted_and_told_with_their_line() -> None:
    x = jnp.tanh(jnp.ones(7)) + 0.125
    with x10.capture() as capturing:
        for _ in range(2_500):
            x = jnp.tanh(x) + 0.125
    found = kinds(capturing.capture)["tiny_graphs"]
    line = test_operations_in_a_loop_outside_any_jit_are_counted_and_told_with_their_line.__code__.co_firstlineno + 4
    assert found.title == f"running 5,000 operations one by one, outside any `jax.jit` at test_findings.py:{line}"
    assert "jax.jit" in found.advice


def test_a_loop_of_a_jitted_step_is_no_storm() -> None:
    step: Any = jax.jit(lambda x: jnp.tanh(x) * 0.875)
    x = step(jnp.ones(7))
    with x10.capture() as capturing:
        for _ in range(3_000):
            x = step(x)
    assert "tiny_graphs" not in kinds(capturing.capture)


def test_a_gradient_that_is_not_compiled_is_told() -> None:
    slope: Any = jax.value_and_grad(lambda w: ((w * 2.0 - 1.0) ** 2).mean())
    w = jnp.ones(7)
    slope(w)
    with x10.capture() as capturing:
        for _ in range(200):
            _, g = slope(w)
            w = w - 0.1 * g
    found = kinds(capturing.capture)["tiny_graphs"]
    assert found.title.startswith("running the gradient of what is not compiled, ")
    assert "jax.jit(jax.value_and_grad(loss))" in found.advice


def test_a_lazy_loop_without_barriers_is_told_where_they_go() -> None:
    w: Any = x10.numpy.zeros((8, 1))
    value: Any = None
    x: Any = x10.tensor(np.ones((4, 8), np.float32))

    def loss(w: Any) -> Any:
        return x10.numpy.mean((x10.numpy.matmul(x, w) - 1.0) ** 2)

    with x10.capture() as capturing:
        for _ in range(20):
            value, slope = x10.value_and_grad(loss)(w)
            w = w - 0.1 * slope
        float(value)
    found = kinds(capturing.capture)["huge_graph"]
    assert "from a loop written out 20 times" in found.title
    assert "put `x10.barrier()` at the end of the loop's body" in found.advice


class Layers:
    """A model of many layers, and a training step of it."""

    def __init__(self, layers: int) -> None:
        start = np.eye(4, dtype=np.float32)
        self.weights: Any = [x10.tensor(start) for _ in range(layers)]
        self.speeds: Any = [x10.tensor(start * 0) for _ in range(layers)]
        self.x: Any = x10.tensor(np.ones((2, 4), np.float32))

    def loss(self, weights: Any) -> Any:
        y = self.x
        for w in weights:
            y = x10.numpy.tanh(y @ w)
        return x10.numpy.mean(y**2)

    def step(self) -> None:
        slopes = x10.grad(self.loss)(self.weights)
        self.speeds = jax.tree.map(lambda v, g: 0.875 * v + g, self.speeds, slopes)
        self.weights = jax.tree.map(lambda w, v: w - 0.125 * v, self.weights, self.speeds)


def warned_of(told: list[warnings.WarningMessage]) -> list[str]:
    return [str(one.message) for one in told if issubclass(one.category, CompileWarning)]


def test_a_training_step_of_a_deep_model_is_no_loop_that_lacks_a_barrier() -> None:
    model = Layers(85)
    with warnings.catch_warnings(record=True) as told, x10.capture() as capturing:
        warnings.simplefilter("always")
        model.step()
        x10.barrier()
    found = kinds(capturing.capture)
    assert "huge_graph" not in found
    assert "warm_up" in found
    assert warned_of(told) == []


def test_layers_that_are_most_of_a_large_program_are_told_at_their_line_without_a_barrier() -> None:
    model = Layers(300)
    with x10.capture() as capturing, pytest.warns(CompileWarning, match="from a loop written out 300 times"):
        slopes = x10.grad(model.loss)(model.weights)
        x10.barrier()
    found = kinds(capturing.capture)["huge_graph"]
    assert found.site is not None and found.site.line == Layers.loss.__code__.co_firstlineno + 3
    assert "write the loop as `x10.lax.scan`; if it is one over layers" in found.advice
    assert "barrier" not in found.advice
    del slopes


def test_time_steps_within_a_gradient_are_told_as_a_loop_for_scan() -> None:
    xs: Any = x10.tensor(np.ones((300, 2, 4), np.float32))

    def loss(w: Any) -> Any:
        h = x10.numpy.zeros((2, 4))
        for t in range(300):
            h = x10.numpy.tanh(h @ w + xs[t])
        return x10.numpy.mean(h**2)

    with warnings.catch_warnings(record=True) as told, x10.capture() as capturing:
        warnings.simplefilter("always")
        slope = x10.grad(loss)(x10.tensor(np.eye(4, dtype=np.float32)))
        x10.barrier()
    found = kinds(capturing.capture)["huge_graph"]
    assert found.site is not None and found.site.line == loss.__code__.co_firstlineno + 3
    (warning,) = warned_of(told)
    for text in (found.title, warning):
        assert "from a loop written out 300 times at test_findings.py:" in text
    for text in (found.advice, warning):
        assert "write the loop as `x10.lax.scan`" in text
        assert "barrier" not in text
    del slope


def test_of_a_short_loop_without_a_barrier_the_warning_and_the_finding_tell_the_barrier() -> None:
    xs: Any = x10.tensor(np.ones((40, 2, 4), np.float32))
    w: Any = x10.tensor(np.eye(4, dtype=np.float32))

    def loss(w: Any) -> Any:
        h = x10.numpy.zeros((2, 4))
        for t in range(40):
            h = x10.numpy.tanh(h @ w + xs[t])
        return x10.numpy.mean(h**2)

    with warnings.catch_warnings(record=True) as told, x10.capture() as capturing:
        warnings.simplefilter("always")
        for _ in range(5):
            w = w - 0.1 * x10.grad(loss)(w)
        w.block_until_ready()
    found = kinds(capturing.capture)["huge_graph"]
    (warning,) = warned_of(told)
    for text in (found.title, warning):
        assert " of them from a loop written out 5 times at test_findings.py:" in text
    for text in (found.advice, warning):
        assert "put `x10.barrier()` at the end of the loop's body" in text


def test_steps_of_a_deep_model_without_barriers_are_told_where_the_gradient_is_taken() -> None:
    model = Layers(12)
    with x10.capture() as capturing, pytest.warns(CompileWarning, match="from a loop written out 20 times"):
        for _ in range(20):
            model.step()
        x10.barrier()
    found = kinds(capturing.capture)["huge_graph"]
    assert "from a loop written out 20 times" in found.title
    assert found.site is not None and found.site.line == Layers.step.__code__.co_firstlineno + 1, "and not that of a loop over layers"
    assert "put `x10.barrier()` at the end of the loop's body" in found.advice
