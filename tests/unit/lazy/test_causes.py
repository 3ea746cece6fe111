"""For each kind of cause a call that is compiled again for a known reason: kind, place, old and new value; and calls that are not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, forget, run_cell

xnp = x10.numpy


def ones(*shape: int, dtype: Any = np.float32) -> x10.Tensor:
    return x10.tensor(np.ones(shape, dtype))


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]
    kind: str
    where: str
    old: str
    new: str


CASES: list[Case] = []


def case(name: str, kind: str, where: str = "", old: str = "", new: str = "") -> Callable[..., Any]:
    """Register `make() -> (warm, trigger)`; only the trigger is judged, by its first compile."""

    def register(make: Callable[[], Any]) -> Callable[[], Any]:
        CASES.append(Case(name, make, kind, where, old, new))
        return make

    return register


def stepped(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A step of a loop: a function and its barrier."""

    def step(*args: Any) -> Any:
        result = fn(*args)
        x10.barrier()
        return result

    return step


def model(x: x10.Tensor) -> x10.Tensor:
    w = ones(4, 3)
    h = xnp.tanh(x @ w) * 2.0
    return h.sum()


@case("last partial batch", "shape", "x", "f32[32,4]", "f32[17,4]")
def _() -> Any:
    step = stepped(model)
    return lambda: step(ones(32, 4)), lambda: step(ones(17, 4))


@case("the nearest of two known, not the last", "shape", "x", "f32[32,4]", "f32[8,4]")
def _() -> Any:
    step = stepped(model)

    def warm() -> None:
        for _ in range(3):
            step(ones(32, 4))
        step(ones(17, 4))

    return warm, lambda: step(ones(8, 4))


@case("new dtype, though another shape was last", "dtype", "x", "f32[32,4]", "f16[32,4]")
def _() -> Any:
    step = stepped(model)

    def warm() -> None:
        step(ones(32, 4))
        step(ones(17, 4))

    return warm, lambda: step(ones(32, 4, dtype=np.float16))


@case("weak type lost", "weak_type", "s", "f32[]~", "f32[]")
def _() -> Any:
    step = stepped(lambda s: s + ones(2))
    return lambda: step(x10.tensor(3.0)), lambda: step(x10.tensor(np.float32(3)))


@case("key added", "pytree", "p['b']", "absent", "f32[2]")
def _() -> Any:
    step = stepped(x10.lazy(lambda p: p["w"] * 2))
    return lambda: step({"w": ones(2)}), lambda: step({"w": ones(2), "b": ones(2)})


@case("None, then an array", "pytree", "b", "None", "f32[2]")
def _() -> Any:
    step = stepped(x10.lazy(lambda a, b: a if b is None else a + b))
    return lambda: step(ones(2), None), lambda: step(ones(2), ones(2))


@case("another axis", "static_argument", "axis", "0", "1")
def _() -> Any:
    step = stepped(lambda axis: xnp.sum(ones(2, 3), axis=axis))
    return lambda: step(0), lambda: step(1)


@case("another mode", "static_argument", "mode", "'a'", "'b'")
def _() -> Any:
    @stepped
    def step(mode: str) -> Any:
        return x10.lazy(lambda x, mode: x * 2 if mode == "a" else x * 3)(ones(2), mode)

    return lambda: step("a"), lambda: step("b")


@case("another global", "constant", "mode", "'a'", "'b'")
def _() -> Any:
    names: dict[str, Any] = {"x10": x10, "x": ones(2), "mode": "a"}
    run_cell("@x10.lazy\ndef f(x):\n    return x * 2 if mode == 'a' else x * 3\n\ndef step():\n    y = f(x)\n    x10.barrier()\n    return y\n", names)

    def trigger() -> None:
        names["mode"] = "b"
        names["step"]()

    return lambda: names["step"](), trigger


@case("an edited helper", "function_rebuilt", "helper", "as it was", "edited")
def _() -> Any:
    names: dict[str, Any] = {"x10": x10, "x": ones(2)}
    source = "def helper(x):\n    return x * 2\n\n@x10.lazy\ndef f(x):\n    return helper(x)\n\ny = f(x)\nx10.barrier()\n"
    return lambda: run_cell(source, names), lambda: run_cell(source.replace("x * 2", "x * x"), names)


@case("a literal changed in an edited cell", "constant", "the number in `x * 8.0`", "8.0", "9.0")
def _() -> Any:
    names: dict[str, Any] = {"x10": x10, "x": ones(2)}
    source = "def scaled(x):\n    return x * 8.0\n\ndef step():\n    y = scaled(x).sum()\n    x10.barrier()\n    return y\n\nstep()\n"
    return lambda: run_cell(source, names), lambda: run_cell(source.replace("8.0", "9.0"), names)


@case("another precision", "config", "jax_default_matmul_precision", "None", "float32")
def _() -> Any:
    step = stepped(model)

    def trigger() -> None:
        with jax.default_matmul_precision("float32"):
            step(ones(32, 4))

    return lambda: step(ones(32, 4)), trigger


@case("a shape, after a call under another configuration", "shape", "x", "f32[32,4]", "f32[16,4]")
def _() -> Any:
    step = stepped(model)

    def warm() -> None:
        step(ones(32, 4))
        with jax.default_matmul_precision("float32"):
            step(ones(32, 4))

    return warm, lambda: step(ones(16, 4))


@case("more passes of a loop", "structure", "the loop", "3 passes", "5 passes")
def _() -> Any:
    @stepped
    def step(n: int) -> Any:
        x = y = ones(2)
        for _ in range(n):
            x = x * y + y
        return x

    return lambda: step(3), lambda: step(5)


@case("passes that are a multiple of one number", "structure", "the loop", "4 passes", "6 passes")
def _() -> Any:
    @stepped
    def step(n: int) -> Any:
        x = y = ones(2)
        for _ in range(n):
            x = x * y
        return x

    return lambda: step(4), lambda: step(6)


@case("more passes of the outer loop", "structure", "the loop", "2 passes", "4 passes")
def _() -> Any:
    @stepped
    def step(n: int) -> Any:
        x = y = ones(2)
        for _ in range(n):
            x = x + y
            for _ in range(3):
                x = x * y
        return x

    return lambda: step(2), lambda: step(4)


@case("another operation", "structure", "test_causes.py", "sin(f32[2])", "cos(f32[2])")
def _() -> Any:
    @stepped
    def step(is_sine: bool) -> Any:
        x = ones(2)
        y = xnp.sin(x) if is_sine else xnp.cos(x)
        return y.sum() + 1

    return lambda: step(True), lambda: step(False)


@case("a value that is kept", "live_outputs", "held by `KEPT[0]`", "1 value", "2 values")
def _() -> Any:
    def inner(keeps: bool) -> Any:
        h = ones(2) * 3.0
        if keeps:
            KEPT.append(h)
        return h.sum()

    step = stepped(inner)
    return lambda: step(False), lambda: step(True)


KEPT: list[Any] = []


def reading_step(reads: bool) -> Any:
    """Reads its loss before the barrier, or not."""
    loss = (ones(2) * 3.0).sum()
    if reads:
        float(loss)
    total = loss * 2
    x10.barrier()
    return total


@case("a read before the barrier", "cut_moved", "float()", "test_causes.py", "test_causes.py")
def _() -> Any:
    return lambda: reading_step(False), lambda: reading_step(True)


@case("the gradient of a step, another batch", "shape", "x", "f32[16,4]", "f32[7,4]")
def _() -> Any:
    w = ones(4, 3)

    @stepped
    def step(x: x10.Tensor) -> Any:
        return x10.value_and_grad(lambda p: xnp.mean((x @ p) ** 2))(w)

    return lambda: step(ones(16, 4)), lambda: step(ones(7, 4))


@case("unrelated code", "first")
def _() -> Any:
    step, other = stepped(lambda: ones(2) * 3.0), stepped(lambda: xnp.cumsum(ones(5)))
    return step, other


@case("unrelated code that begins alike", "first")
def _() -> Any:
    def one() -> None:
        kept = ones(2) * 4.0
        x10.barrier()
        del kept

    def other() -> None:
        kept = (ones(2) * 4.0).sum()
        x10.barrier()
        del kept

    return one, other


@pytest.mark.parametrize("one", CASES, ids=lambda c: c.name)
def test_the_cause_is_the_true_one(one: Case) -> None:
    forget()
    KEPT.clear()
    warm, trigger = one.make()
    warm()
    found = causes(trigger)
    assert found, "nothing was compiled"
    cause = found[0]
    assert (cause.kind, one.where in cause.where, one.old in cause.old, one.new in cause.new) == (one.kind, True, True, True), cause
    # whether an edited cell has the number on the same line is not known before it is traced again
    assert (cause.site is None) == (one.name == "a literal changed in an edited cell")
    if cause.kind != "first":
        assert cause.nearest
        assert cause.fix or cause.kind == "structure"


def same(fn: Callable[[], Any]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    return fn, fn


SILENT: dict[str, Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]] = {
    "the same step": lambda: same(lambda: stepped(model)(ones(32, 4))),
    "a lambda made again": lambda: same(lambda: stepped(lambda: x10.lazy(lambda x: x * 2)(ones(2)))()),
    "another learning rate": lambda: (lambda: RATED(0.1), lambda: RATED(0.2)),
    "another float argument": lambda: (lambda: SCALED(0.1), lambda: SCALED(0.2)),
    "NumPy, then JAX": lambda: (lambda: stepped(model)(np.ones((32, 4), np.float32) + ones(1)), lambda: stepped(model)(jax.numpy.ones((32, 4)) + ones(1))),
    "other values": lambda: (lambda: RATED(x10.tensor(2.0)), lambda: RATED(x10.tensor(3.0))),
}


def rated(rate: Any) -> x10.Tensor:
    return ones(2) * rate


def scaled(rate: float) -> x10.Tensor:
    return x10.lazy(lambda x, rate: x * rate)(ones(2), rate)


RATED, SCALED = stepped(rated), stepped(scaled)


@pytest.mark.parametrize("make", SILENT.values(), ids=SILENT.keys())
def test_nothing_is_compiled_again(make: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]) -> None:
    forget()
    warm, trigger = make()
    assert len(causes(warm)) == 1
    assert causes(trigger) == []


CELL = """
step = x10.value_and_grad(lambda w: ((images @ w) ** 2).sum())
for _ in range(3):
    value, slope = step(w)
    w = w - 0.001 * slope
    x10.barrier()
loss = float(((images @ w) ** 2).sum())
right = float((xnp.argmax(images @ w, axis=-1) == 0).mean())
"""


def test_what_a_cell_computes_after_its_loop_is_no_other_step() -> None:
    forget()
    names: dict[str, Any] = {"x10": x10, "xnp": xnp, "images": ones(32, 8), "w": ones(8, 3)}
    assert [cause.kind for cause in causes(lambda: run_cell(CELL, names))] == ["first", "first", "first"]


def passes_of(k: int) -> None:
    x = ones(8, 8)
    for _ in range(k):
        x = x * x
    KEPT.append(x * 0.5)
    x10.barrier()


def accumulated(k: int) -> None:
    w = ones(8, 8)
    total = w * 0.0
    for _ in range(k):
        g = w * w
        total = total + g
    KEPT.append(w - 0.1 * total)
    x10.barrier()


def clipped(is_on: int) -> None:
    w = ones(8, 8)
    g = w * w
    if is_on:
        g = g / xnp.maximum(xnp.sqrt((g * g).sum()), 1.0)
    KEPT.append(w - 0.1 * g)
    x10.barrier()


def branched(is_wide: int) -> None:
    y = ones(8, 8) + 1.0
    if is_wide:
        y = y * ones(8, 8)
    else:
        y = y * ones(8)
    KEPT.append(y)
    x10.barrier()


def layer(x: x10.Tensor) -> x10.Tensor:
    return xnp.tanh(x @ x)


def deep(is_on: int) -> None:
    y = layer(layer(ones(4, 4)))
    if is_on:
        y = layer(layer(y))
    KEPT.append(y)
    x10.barrier()


@pytest.mark.parametrize(
    ("step", "first", "then", "where", "old", "new"),
    [
        (passes_of, 2, 4, "the loop around ", "2 passes", "4 passes"),
        (accumulated, 4, 2, "the loop around ", "4 passes", "2 passes"),
        (clipped, 0, 1, "test_causes.py:", "mul(f32[8,8])", "mul(f32[8,8], f32[8,8])"),
        (branched, 0, 1, "test_causes.py:", "mul(f32[8,8], f32[8])", "mul(f32[8,8], f32[8,8])"),
        (deep, 0, 1, "how often test_causes.py:", "2 times", "4 times"),
    ],
    ids=["a loop and what follows it", "gradients added up", "clipping switched on", "another branch", "a helper called more often"],
)
def test_operations_at_different_places_of_the_same_code_are_not_one_with_another_shape(
    step: Callable[[int], None], first: int, then: int, where: str, old: str, new: str
) -> None:
    forget()
    KEPT.clear()
    step(first)
    [cause] = causes(lambda: step(then))
    assert (cause.kind, cause.where.startswith(where), cause.old, cause.new) == ("structure", True, old, new), cause


def test_a_read_that_moves_is_named_in_both_parts_of_the_trace() -> None:
    """A read cuts a known trace in two. Both programs are new, and both for the same reason."""
    forget()

    reading_step(False)
    found = causes(lambda: reading_step(True))
    assert [c.kind for c in found] == ["cut_moved", "cut_moved"]
    assert all("float()" in c.where for c in found)


def test_a_cause_names_the_line_of_the_changed_operation() -> None:
    forget()
    names: dict[str, Any] = {"x10": x10, "ones": ones}
    source = "def step(x):\n    y = x * 2.0\n    z = y @ w\n    x10.barrier()\n    return z\n"
    run_cell(source, names)
    names["w"] = ones(4, 3)
    names["step"](ones(2, 4))
    names["w"] = ones(4, 5)
    [cause] = causes(lambda: names["step"](ones(2, 4)))
    assert (cause.kind, cause.where, cause.old, cause.new) == ("shape", "w", "f32[4,3]", "f32[4,5]")
    assert cause.site is not None
    assert cause.site.line == 3


@pytest.mark.parametrize("is_cut", [True, False], ids=["a step each", "steps without a barrier"])
def test_where_a_barrier_can_stand_it_is_advised_and_not_within_a_gradient(is_cut: bool) -> None:
    def loss(params: list[Any], x: Any) -> Any:
        for w in params:
            x = xnp.tanh(x @ w)
        return x.sum()

    def train(layers: int, steps: int) -> None:
        params, x = [ones(3, 3) for _ in range(layers)], ones(2, 3)
        for _ in range(steps):
            grads = x10.grad(loss)(params, x)
            params = jax.tree.map(lambda w, g: w - 0.1 * g, params, grads)
            if is_cut:
                x10.barrier()
        x10.barrier()

    forget()
    first, second = ((2, 1), (5, 1)) if is_cut else ((2, 3), (2, 5))
    train(*first)
    [cause] = causes(lambda: train(*second))
    assert cause.kind == "structure"
    assert ("barrier" in cause.fix) is not is_cut
