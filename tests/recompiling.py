"""Calls that compile again for a known reason: what a tool that explains compiles must say of each.

`make()` gives `warm` and `trigger`; the compile that `trigger` causes has the kind, the place, and the old and new value that the scenario names, as far as it
names them. `also` names the kinds and places of what else differs.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

Make = Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    kind: str
    make: Make
    where: str | None = None
    old: str | None = None
    new: str | None = None
    fix: str | None = None
    """A part of the advice."""
    also: tuple[tuple[str, str], ...] = ()
    function: str = ""
    """Which of the functions compiled is meant; any when empty."""
    at: int = 0
    """Which of the compiles of these."""


SCENARIOS: list[Scenario] = []
NONE = "none"


def scenario(name: str, kind: str, **more: Any) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        SCENARIOS.append(Scenario(name, kind, make, **more))
        return make

    return register


x4, x5 = np.arange(4, dtype=np.float32), np.arange(5, dtype=np.float32)
m32, m17 = np.ones((32, 3), np.float32), np.ones((17, 3), np.float32)
i4 = np.arange(4, dtype=np.int32)


def twice(a: Any) -> Any:
    return a * 2


def total(tree: Any) -> Any:
    return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(tree))


def calls(f: Any, before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    return lambda: f(*before), lambda: f(*after)


class Moments(NamedTuple):
    mu: Any
    nu: Any


@functools.partial(jax.tree_util.register_dataclass, data_fields=["p", "step"], meta_fields=["rate"])
@dataclasses.dataclass
class State:
    p: Any
    step: Any
    rate: Any = 1


@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    act: str = "relu"
    rate: float = 0.1


class Alike:
    """All of these have one hash."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike) and other.number == self.number


@jax.tree_util.register_static
class AlikeNode(Alike):
    pass


class Model:
    def __init__(self) -> None:
        self.w = 2.0

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x: Any) -> Any:
        return x * self.w

    def plain(self, x: Any) -> Any:
        return x * self.w


# Shapes and dtypes ----------------------------------------------------------------------------------------------------


@scenario("last partial batch", "shape", where="a", old="f32[32,3]", new="f32[17,3]", fix="or pad it to 32.")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (m32,), (m17,))


@scenario("another rank", "shape", where="a", old="f32[4]", new="f32[2,2]", fix="number of dimensions")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (x4.reshape(2, 2),))


@scenario("partial batch in a dictionary", "shape", where="batch['image']", old="f32[32,3]", new="f32[17,3]", also=(("shape", "batch['label']"),))
def _() -> Any:
    f = jax.jit(lambda batch: batch["image"].sum() + batch["label"].sum())
    return calls(f, ({"image": m32, "label": m32[:, 0]},), ({"image": m17, "label": m17[:, 0]},))


@scenario("new dtype", "dtype", where="a", old="f32[4]", new="i32[4]", fix="Make `a` the same dtype at each call")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (i4,))


@scenario("dtype and shape", "dtype", where="a", old="f32[4]", new="i32[2,2]", also=(("shape", "a"),))
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (i4.reshape(2, 2),))


@scenario("int, then float", "dtype", where="a", old="i32[] (weak)", new="f32[] (weak)")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (1,), (1.5,))


@scenario("another number", NONE)
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (1,), (7,))


@scenario("float64 of NumPy, which JAX makes float32", NONE)
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (x4.astype(np.float64),))


@scenario("NumPy, then JAX array", NONE)
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (jnp.asarray(x4),))


@scenario("a key of another kind", "dtype", where="key", old="key<fry>[]", new="u32[2]", also=(("shape", "key"),))
def _() -> Any:
    return calls(jax.jit(lambda key: jax.random.uniform(key, (2,))), (jax.random.key(0),), (jax.random.PRNGKey(0),))


@scenario("shape where several arities are known", "shape", where="a", old="f32[4]", new="f32[5]")
def _() -> Any:
    f = jax.jit(lambda a, b=None: a * 2)
    return lambda: (f(x4), f(x4, x4)), lambda: f(x5)


@scenario("shape where another configuration is known", "shape", where="a", old="f32[4]", new="f32[5]")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def warm() -> None:
        f(x4)
        with jax.default_matmul_precision("float32"):
            f(x4)

    return warm, lambda: f(x5)


# Weak types -----------------------------------------------------------------------------------------------------------


@scenario("weak type lost after the first step", "weak_type", where="s", old="f32[] (weak)", new="f32[]", fix="from the first call on", function="<lambda>")
def _() -> Any:
    f = jax.jit(lambda s: s + jnp.float32(1))
    return lambda: f(0.0), lambda: f(jnp.float32(1))


@scenario("a number instead of an array", "weak_type", where="state['step']", old="i32[]", new="i32[] (weak)", fix="as jnp.int32(…) here, too")
def _() -> Any:
    f = jax.jit(lambda state: state["step"] + 1)
    return calls(f, ({"step": jnp.int32(0)},), ({"step": 3},))


# Pytrees --------------------------------------------------------------------------------------------------------------


@scenario("key added", "pytree", where="p", old="{'w'}", new="{'b', 'w'}")
def _() -> Any:
    return calls(jax.jit(lambda p: p["w"] * 2), ({"w": x4},), ({"w": x4, "b": x4},))


@scenario("keys in another order", NONE)
def _() -> Any:
    return calls(jax.jit(lambda p: p["w"] * 2), ({"w": x4, "b": x5},), ({"b": x5, "w": x4},))


@scenario("key added within a state", "pytree", where="state.p", old="{'w'}", new="{'b', 'w'}")
def _() -> Any:
    f = jax.jit(lambda state: state.p["w"] * state.step)
    return calls(f, (State({"w": x4}, 1),), (State({"w": x4, "b": x4}, 1),))


@scenario("None, then array", "pytree", where="b", old="None", new="f32[4]", fix="neutral where it was None")
def _() -> Any:
    return calls(jax.jit(lambda a, b: a * 2), (x4, None), (x4, x4))


@scenario("None by default, then array", "pytree", where="b", old="None", new="f32[4]")
def _() -> Any:
    return calls(jax.jit(lambda a, b=None: a * 2), (x4,), (x4, x4))


@scenario("growing list", "pytree", where="xs", old="list of 2", new="list of 3", fix="preallocated or padded")
def _() -> Any:
    return calls(jax.jit(lambda xs: xs[0] * 2), ([x4, x4],), ([x4, x4, x4],))


@scenario("tuple, then list", "pytree", where="xs", old="tuple of 2", new="list of 2", fix="as a tuple")
def _() -> Any:
    return calls(jax.jit(lambda xs: xs[0] * 2), ((x4, x4),), ([x4, x4],))


@scenario("dictionary, then named tuple", "pytree", where="m", old="{'mu', 'nu'}", new="Moments")
def _() -> Any:
    return calls(jax.jit(lambda m: total(m)), ({"mu": x4, "nu": x4},), (Moments(x4, x4),))


@scenario("field of a named tuple", "shape", where="m.nu", old="f32[4]", new="f32[5]")
def _() -> Any:
    return calls(jax.jit(lambda m: m.mu * 2), (Moments(x4, x4),), (Moments(x4, x5),))


@scenario("field of a dataclass", "dtype", where="state.step", old="i32[4]", new="f32[4]")
def _() -> Any:
    return calls(jax.jit(lambda state: state.p * 2), (State(x4, i4),), (State(x4, x4),))


@scenario("field that is no data", "pytree", where="state.rate", old="1", new="2", fix="a data field")
def _() -> Any:
    return calls(jax.jit(lambda state: state.p * 2), (State(x4, i4, 1),), (State(x4, i4, 2),))


@scenario("one more of *rest", "pytree", where="rest", old="1 given", new="2 given")
def _() -> Any:
    return calls(jax.jit(lambda a, *rest: a * 2), (x4, x4), (x4, x4, x4))


# How it is called -----------------------------------------------------------------------------------------------------


@scenario("by position, then by name", "calling_convention", where="b", old="by position", new="by name", fix="by position")
def _() -> Any:
    f = jax.jit(lambda a, b: a * b)
    return lambda: f(x4, x4), lambda: f(x4, b=x4)


@scenario("names in another order", NONE)
def _() -> Any:
    f = jax.jit(lambda a, b: a * b)
    return lambda: f(a=x4, b=x4), lambda: f(b=x4, a=x4)


@scenario("default left out, then given", "calling_convention", where="n", old="left to its default, 1", new="given")
def _() -> Any:
    f = jax.jit(lambda a, n=1: a * n, static_argnames="n")
    return lambda: f(x4), lambda: f(x4, n=1)


@scenario("default, then another value", "static_argument", where="n", old="1", new="3")
def _() -> Any:
    f = jax.jit(lambda a, n=1: a * n, static_argnames="n")
    return lambda: f(x4), lambda: f(x4, n=3)


@scenario("default of an array's", "calling_convention", where="scale", old="left to its default, 2.0", new="given as f32[] (weak)")
def _() -> Any:
    f = jax.jit(lambda a, scale=2.0: a * scale)
    return lambda: f(x4), lambda: f(x4, 3.0)


@scenario("donated, where it was not", "calling_convention", where="donate_argnums", function="f")
def _() -> Any:
    def f(a: Any) -> Any:
        return a * 2

    return lambda: jax.jit(f)(x4), lambda: jax.jit(f, donate_argnums=0)(jnp.asarray(x4))


@scenario("donated again and again", NONE)
def _() -> Any:
    f = jax.jit(lambda a: a * 2, donate_argnums=0)
    return lambda: f(jnp.asarray(x4)), lambda: f(jnp.asarray(x4))


# Static values --------------------------------------------------------------------------------------------------------


@scenario("static step counter", "static_argument", where="n", old="1", new="2", fix="as an array if it is only computed with")
def _() -> Any:
    return calls(jax.jit(lambda a, n: a * n, static_argnums=1), (x4, 1), (x4, 2))


@scenario("-1, then -2, whose hashes are equal", "static_argument", where="axis", old="-1", new="-2", fix="Use few values of `axis`")
def _() -> Any:
    return calls(jax.jit(lambda a, axis: a.sum(axis), static_argnums=1), (m32, -1), (m32, -2))


@scenario("static text", "static_argument", where="mode", old="'train'", new="'test'")
def _() -> Any:
    f = jax.jit(lambda a, *, mode: a * len(mode), static_argnames="mode")
    return lambda: f(x4, mode="train"), lambda: f(x4, mode="test")


@scenario("static function", "static_argument", where="act", old="relu", new="tanh")
def _() -> Any:
    return calls(jax.jit(lambda a, act: act(a), static_argnums=1), (x4, jax.nn.relu), (x4, jnp.tanh))


@scenario("static configuration", "static_argument", where="cfg.width", old="8", new="16")
def _() -> Any:
    return calls(jax.jit(lambda cfg, a: a * cfg.width, static_argnums=0), (Config(8), x4), (Config(16), x4))


@scenario("static self", "static_argument", where="self", old="a Model", new="another Model", fix="__eq__")
def _() -> Any:
    return lambda: Model().step(x4), lambda: Model().step(x4)


@scenario("static value and shape", "static_argument", where="n", old="1", new="2", also=(("shape", "a"),))
def _() -> Any:
    return calls(jax.jit(lambda a, n: a * n, static_argnums=1), (x4, 1), (x5, 2))


@scenario("static objects of one hash", "static_argument", where="c.number", old="1", new="2")
def _() -> Any:
    return calls(jax.jit(lambda a, c: a * c.number, static_argnums=1), (x4, Alike(1)), (x4, Alike(2)))


@scenario("equal static objects", NONE)
def _() -> Any:
    return calls(jax.jit(lambda a, c: a * c.number, static_argnums=1), (x4, Alike(1)), (x4, Alike(1)))


@scenario("registered static objects of one hash", "pytree", where="c.number", old="1", new="2")
def _() -> Any:
    return calls(jax.jit(lambda a, c: a * c.number), (x4, AlikeNode(1)), (x4, AlikeNode(2)))


@scenario("static shape of NumPy's numbers", "static_argument", where="shape", old="(np.int64(2), np.int64(2))", new="(np.int64(4), np.int64(1))")
def _() -> Any:
    f = jax.jit(lambda a, shape: a.reshape(shape), static_argnums=1)
    return lambda: f(x4, (np.int64(2), np.int64(2))), lambda: f(x4, (np.int64(4), np.int64(1)))


# Nearest ----------------------------------------------------------------------------------------------------------------


@scenario("nearest of two lengths", "shape", where="a", old="f32[128,10]", new="f32[128,11]")
def _() -> Any:
    f, of = jax.jit(lambda a: a * 2), lambda length: np.ones((128, length), np.float32)
    return lambda: (f(of(10)), f(of(1))), lambda: f(of(11))


@scenario("nearest static number", "static_argument", where="n", old="100", new="99")
def _() -> Any:
    f = jax.jit(lambda a, n: a * n, static_argnums=1)
    return lambda: (f(x4, 100), f(x4, 1)), lambda: f(x4, 99)


@scenario("nearest list", "pytree", where="xs", old="list of 2", new="list of 3")
def _() -> Any:
    f = jax.jit(lambda xs: xs[0] * 2)
    return lambda: (f([x4] * 2), f([x4] * 9)), lambda: f([x4] * 3)


# Functions made anew --------------------------------------------------------------------------------------------------


@scenario("lambda made again at each call", "function_rebuilt", where="<lambda>", fix="outside the loop")
def _() -> Any:
    def call(a: Any) -> Any:
        return jax.jit(lambda t: t * 2)(a)

    return lambda: call(x4), lambda: call(x4)


@scenario("lambda over another value", "function_rebuilt", where="rate", old="0.1", new="0.2", fix="pass `rate` as an argument")
def _() -> Any:
    def call(rate: float) -> Any:
        return jax.jit(lambda t: t * rate)(x4)

    return lambda: call(0.1), lambda: call(0.2)


@scenario("lambda with another default", "function_rebuilt", where="i", old="1", new="2")
def _() -> Any:
    def call(number: int) -> Any:
        return jax.jit(lambda t, i=number: t * i)(x4)

    return lambda: call(1), lambda: call(2)


@scenario("made anew, and another shape", "function_rebuilt", where="<lambda>", also=(("shape", "t"),))
def _() -> Any:
    def call(a: Any) -> Any:
        return jax.jit(lambda t: t * 2)(a)

    return lambda: call(x4), lambda: call(x5)


@scenario("another shape of what was made anew", "shape", where="t", old="f32[4]", new="f32[5]")
def _() -> Any:
    kept: list[Any] = []

    def warm() -> None:
        for _ in range(2):
            kept.append(jax.jit(lambda t: t * 2))
            kept[-1](x4)

    return warm, lambda: kept[-1](x5)


@scenario("wrapped again, same function", NONE)
def _() -> Any:
    def g(a: Any) -> Any:
        return a * 2

    return lambda: jax.jit(g)(x4), lambda: jax.jit(g)(x4)


@scenario("partial made anew", "function_rebuilt", where="twice", fix="Make `functools.partial(twice)` and its jit once")
def _() -> Any:
    return lambda: jax.jit(functools.partial(twice))(x4), lambda: jax.jit(functools.partial(twice))(x4)


@scenario("partial with another value", "function_rebuilt", where="scale", old="2", new="3")
def _() -> Any:
    def scaled(a: Any, scale: float) -> Any:
        return a * scale

    return lambda: jax.jit(functools.partial(scaled, scale=2))(x4), lambda: jax.jit(functools.partial(scaled, scale=3))(x4)


@scenario("method of an object made anew", "function_rebuilt", where="plain", fix="Make `Model(…).plain` and its jit once")
def _() -> Any:
    return lambda: jax.jit(Model().plain)(x4), lambda: jax.jit(Model().plain)(x4)


@scenario("gradient made anew", "function_rebuilt", where="loss", fix="Make `jax.grad(loss)` and its jit once")
def _() -> Any:
    def loss(a: Any) -> Any:
        return (a * 2).sum()

    return lambda: jax.jit(jax.grad(loss))(x4), lambda: jax.jit(jax.grad(loss))(x4)


def timed(f: Any) -> Any:
    """A decorator, as users have them."""

    @functools.wraps(f)
    def inner(*args: Any) -> Any:
        return f(*args)

    return inner


@scenario("decorated function made anew", "function_rebuilt", where="step", fix="Make `timed(step)` and its jit once")
def _() -> Any:
    def step(a: Any) -> Any:
        return a * 2

    return lambda: jax.jit(timed(step))(x4), lambda: jax.jit(timed(step))(x4)


@scenario("two functions that one decorator wraps", "first")
def _() -> Any:
    def one(a: Any) -> Any:
        return a * 2

    def other(a: Any) -> Any:
        return a * 3

    return lambda: jax.jit(timed(one))(x4), lambda: jax.jit(timed(other))(x4)


@scenario("two lambdas in one line", "first")
def _() -> Any:
    f, g = jax.jit(lambda a: a * 2), jax.jit(lambda a: a * 2)
    return lambda: f(x4), lambda: g(x4)


CELL = "import jax\n@jax.jit\ndef f(a):\n    return a * {}\nf(x4)\n"


@scenario("cell run again", "function_rebuilt", where="f", fix="in a cell that is not run again")
def _() -> Any:
    names = {"x4": x4, "__name__": "__main__"}
    return lambda: exec(compile(CELL.format(2), "a_cell.py", "exec"), names), lambda: exec(compile(CELL.format(2), "a_cell.py", "exec"), names)


@scenario("cell edited", "function_rebuilt", where="f", new="edited", fix="Nothing")
def _() -> Any:
    names = {"x4": x4, "__name__": "__main__"}
    return lambda: exec(compile(CELL.format(2), "b_cell.py", "exec"), names), lambda: exec(compile(CELL.format(3), "c_cell.py", "exec"), names)


def cells(file: str, *sources: str) -> Any:
    """Cells of a notebook that are run one after another, the last to be told of. Each is a file of its own; the same source is the same one."""
    names: dict[str, Any] = {"__name__": "__main__", "jax": jax, "jnp": jnp, "np": np, "functools": functools, "x4": x4}

    def run(source: str) -> None:
        exec(compile(source, f"{file}{sources.index(source)}.py", "exec"), names)

    def warm() -> None:
        for source in sources[:-1]:
            run(source)

    return warm, lambda: run(sources[-1])


STEP_CELL = "@jax.jit\ndef step(a):\n    return a * {}\nstep(x4)\n"


@scenario("cell run again for a global", "function_rebuilt", where="K", old="3", new="4", fix="Nothing: `step` had to be compiled for the new `K`")
def _() -> Any:
    return cells("global", "K = 3", STEP_CELL.format("K"), "K = 4", STEP_CELL.format("K"))


@scenario("cell run again, and a global that it does not read", "function_rebuilt", where="step", fix="in a cell that is not run again")
def _() -> Any:
    return cells("unread", "K = 3\nL = 1", STEP_CELL.format("(jnp.pi + K)"), "L = 2", STEP_CELL.format("(jnp.pi + K)"))


@scenario("cell run again for a setting", "function_rebuilt", where="cfg['rate']", old="0.1", new="0.2", fix="pass `cfg['rate']` as an argument")
def _() -> Any:
    return cells("setting", "cfg = dict(rate=0.1, n=3)", STEP_CELL.format("cfg['rate']"), "cfg = dict(rate=0.2, n=4)", STEP_CELL.format("cfg['rate']"))


@scenario("cell run again for a global array", "function_rebuilt", where="data", old="f32[4]", new="another f32[4]", fix="pass `data` as an argument")
def _() -> Any:
    return cells("data", "data = jnp.ones(4)", STEP_CELL.format("data"), "data = jnp.zeros(4)", STEP_CELL.format("data"))


@scenario("cell run again for an edited helper", "function_rebuilt", where="act", old="as it was", new="edited", fix="Nothing: an edited function")
def _() -> Any:
    act = "def act(a):\n    return a * {}\n"
    return cells("helper", act.format(2), STEP_CELL.format("act(a)"), act.format(3), STEP_CELL.format("act(a)"))


@scenario("cell run again for a global of a helper", "function_rebuilt", where="K", old="3", new="4", fix="Nothing")
def _() -> Any:
    return cells("deep", "K = 3\ndef act(a):\n    return a * K\n", STEP_CELL.format("act(a)"), "K = 4", STEP_CELL.format("act(a)"))


@scenario("function called again for a global", "function_rebuilt", where="LR", old="0.1", new="0.2", fix="pass `LR` as an argument")
def _() -> Any:
    fit = "def fit():\n    @jax.jit\n    def step(p):\n        return p - LR * p\n    return step(x4)\n"
    return cells("fit", fit, "LR = 0.1\nfit()", "LR = 0.2\nfit()")


def moved(file: str, source: str, before: str = "") -> Any:
    """A cell that is run again in another one, as with a line that was added at its top."""
    return cells(file, before, source, f"\n{source}")


@scenario("lambda of a cell run again", "function_rebuilt", where="<lambda>", new="defined anew with the same code", fix="in a cell that is not run again")
def _() -> Any:
    return moved("lambda", "f = jax.jit(lambda a: a * 3)\nf(x4)\n")


@scenario("lambda that is kept in another cell", "first")
def _() -> Any:
    return cells("kept", "jax.jit(lambda a: a * 33)(x4)", "kept = jax.jit(lambda a: a * 33)\nkept(x4)")


@scenario("vmap of a cell run again", "function_rebuilt", where="<lambda>", new="defined anew with the same code", fix="Make `jax.vmap(lambda …)`")
def _() -> Any:
    return moved("vmap", "f = jax.jit(jax.vmap(lambda a: a * 3))\nf(x4)\n")


@scenario("equinox: cell run again", "function_rebuilt", where="f", new="defined anew with the same code", fix="in a cell that is not run again")
def _() -> Any:
    return moved("filter", "@eqx.filter_jit\ndef f(a):\n    return a * 3\nf(x4)\n", "import equinox as eqx")


@scenario("flax nnx: cell run again", "function_rebuilt", where="f", new="defined anew with the same code", fix="in a cell that is not run again")
def _() -> Any:
    return moved("nnx", "@nnx.jit\ndef f(a):\n    return a * 3\nf(x4)\n", "from flax import nnx")


BODY_CELL = "def body(c, x):\n    return c + x * 5, c\njax.lax.scan(body, 0.0, x4)\n"


@scenario("body of a cell run again", "function_rebuilt", where="body", new="defined anew with the same code", function="scan", fix="Define `body` once")
def _() -> Any:
    return moved("body", BODY_CELL)


@scenario("body of a cell edited", "function_rebuilt", where="body", new="edited", function="scan", fix="Nothing")
def _() -> Any:
    return cells("edited_body", BODY_CELL, BODY_CELL.replace("5", "6"))


@scenario("body of a scan, and the caches cleared", "evicted", where="jax.clear_caches()", function="scan", fix="Do not call jax.clear_caches()")
def _() -> Any:
    return cells("cleared", BODY_CELL.replace("5", "7"), "jax.clear_caches()", "jax.lax.scan(body, 0.0, x4)")


METHOD_CELL = "class T:\n    @functools.partial(jax.jit, static_argnums=0)\n    def st(self, a):\n        return a * 2\nt = T()\nt.st(x4)\n"


@scenario("class of a cell run again", "function_rebuilt", where="st", new="defined anew with the same code", also=(("static_argument", "self"),))
def _() -> Any:
    return moved("method", METHOD_CELL)


@scenario("cell with other options of its jit", "function_rebuilt", where="donate_argnums", old="not given", new="(0,)", fix="Nothing: with another")
def _() -> Any:
    step = STEP_CELL.format(5)
    return cells("options", step, step.replace("jax.jit", "functools.partial(jax.jit, donate_argnums=0)"))


@scenario("jit of what is jitted", "function_rebuilt", where="<lambda>", old="jitted", new="jitted once more", fix="Call the function itself")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)
    return lambda: f(x4), lambda: jax.jit(f)(x4)


@scenario("another function in a Partial", "pytree", where="fn", old="twice", new="total", fix="Use few functions as `fn`")
def _() -> Any:
    return calls(jax.jit(lambda fn, x: fn(x)), (jax.tree_util.Partial(twice), x4), (jax.tree_util.Partial(total), x4))


@scenario("static number, then one of NumPy's", "static_argument", where="n", old="2", new="np.int64(2)", fix="Pass `n` as a Python int each time")
def _() -> Any:
    return calls(jax.jit(lambda a, n: a * n, static_argnums=1), (x4, 2), (x4, np.int64(2)))


CLASS_CELLS = {
    "dataclass": "@jax.tree_util.register_dataclass\n@dataclasses.dataclass\nclass S:\n    w: object\n",
    "registered class": (
        "@jax.tree_util.register_pytree_node_class\nclass S:\n    def __init__(self, w): self.w = w\n    def tree_flatten(self): return (self.w,), None\n"
        "    @classmethod\n    def tree_unflatten(cls, aux, parts): return cls(*parts)\n"
    ),
    "named tuple": "class S(typing.NamedTuple):\n    w: object\n",
    "equinox: module": "import equinox\nclass S(equinox.Module):\n    w: object\n",
    "flax: dataclass": "import flax\n@flax.struct.dataclass\nclass S:\n    w: object\n",
}


def class_cells(file: str, source: str, call: str) -> Any:
    source = f"import dataclasses, typing\n{source}"
    return cells(file, source, f"f = jax.jit(lambda s: s.w * 2)\ng = jax.jit(lambda s, a: a * s.w, static_argnums=0)\n{call}", f"{source}\n{call}")


for name, class_cell in CLASS_CELLS.items():

    @scenario(f"{name} defined anew", "pytree", where="s", old="S", new="S defined anew", fix="Run the cell that defines `S` once")
    def _(name: str = name, class_cell: str = class_cell) -> Any:
        return class_cells(f"anew {name}", class_cell, "f(S(x4))")


@scenario("static dataclass defined anew", "static_argument", where="s", old="S", new="S defined anew", fix="Run the cell that defines `S` once")
def _() -> Any:
    return class_cells("anew static", "@dataclasses.dataclass(frozen=True)\nclass S:\n    w: int\n", "g(S(2), x4)")


@scenario("static named tuple defined anew", "static_argument", where="s", old="S", new="S defined anew", fix="Run the cell that defines `S` once")
def _() -> Any:
    return class_cells("anew tuple", CLASS_CELLS["named tuple"], "g(S(2), x4)")


NOTED = "import jax\n#\n@jax.jit\ndef {1}(a):\n    {0}return a * 2\n{1}(x)\n"


def noted(name: str, before: Any, after: Any) -> Any:
    """A cell, and the same with a comment."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def run(note: str, x: Any) -> None:
        names["x"] = x
        exec(compile(NOTED.format(note, name), f"{name}{len(note)}.py", "exec"), names)

    return lambda: run("", before), lambda: run("# note\n    ", after)


@scenario("comment edited", "function_rebuilt", where="noted_cell", old="as it was at noted_cell0.py:3", new="defined anew with the same code")
def _() -> Any:
    return noted("noted_cell", x4, x4)


@scenario("comment edited, and another shape", "function_rebuilt", where="noted_shape", new="defined anew with the same code", also=(("shape", "a"),))
def _() -> Any:
    return noted("noted_shape", x4, x5)


@scenario("body of a scan made anew", "function_rebuilt", where="<lambda>", fix="`scan` compiles each new one")
def _() -> Any:
    xs = jnp.asarray(x4)

    def call() -> Any:
        return jax.lax.scan(lambda c, x: (c + x, x), jnp.float32(0), xs)

    return call, call


@scenario("body of a loop over another value", "function_rebuilt", where="rate", old="1.0", new="2.0", function="scan")
def _() -> Any:
    def call(rate: float) -> Any:
        return jax.lax.fori_loop(0, 5, lambda _, c: c * rate, jnp.float32(0))

    return lambda: call(1.0), lambda: call(2.0)


def add_one(_: Any, c: Any) -> Any:
    return c + 1


def add_up(c: Any, x: Any) -> Any:
    return c + x, x


@scenario("loop of another length", "static_argument", where="length", old="5", new="7", function="scan")
def _() -> Any:
    return lambda: jax.lax.fori_loop(0, 5, add_one, jnp.float32(0)), lambda: jax.lax.fori_loop(0, 7, add_one, jnp.float32(0))


@scenario("scan unrolled", "static_argument", where="unroll", old="1", new="2", function="scan")
def _() -> Any:
    xs = jnp.asarray(x4)
    return lambda: jax.lax.scan(add_up, jnp.float32(0), xs), lambda: jax.lax.scan(add_up, jnp.float32(0), xs, unroll=2)


@scenario("scan in reverse", "static_argument", where="reverse", old="False", new="True", function="scan")
def _() -> Any:
    xs = jnp.asarray(x5)
    return lambda: jax.lax.scan(add_up, jnp.float32(0), xs), lambda: jax.lax.scan(add_up, jnp.float32(0), xs, reverse=True)


@scenario("the same loop again", NONE)
def _() -> Any:
    return lambda: jax.lax.fori_loop(0, 6, add_one, jnp.float32(0)), lambda: jax.lax.fori_loop(0, 6, add_one, jnp.float32(0))


@scenario("map over another length", "shape", where="args[0]", old="f32[4]", new="f32[5]", function="scan")
def _() -> Any:
    return lambda: jax.lax.map(jnp.cos, x4), lambda: jax.lax.map(jnp.cos, x5)


# Settings and places --------------------------------------------------------------------------------------------------


@scenario("config context", "config", where="jax_default_matmul_precision", old="None", new="float32", fix="once, before the first call")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        with jax.default_matmul_precision("float32"):
            f(x4)

    return lambda: f(x4), trigger


@scenario("64 bits", "config", where="jax_enable_x64", old="False", new="True", also=(("dtype", "a"),))
def _() -> Any:
    f = jax.jit(lambda a: a * 2)
    x = np.arange(4.0)

    def trigger() -> None:
        with jax.enable_x64(True):
            f(x)

    return lambda: f(x), trigger


@scenario("default device", "config", where="jax_default_device", old="None")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        with jax.default_device(jax.devices()[1]):
            f(x4)

    return lambda: f(x4), trigger


@scenario("config and shape", "config", where="jax_default_matmul_precision", also=(("shape", "a"),))
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        with jax.default_matmul_precision("float32"):
            f(x5)

    return lambda: f(x4), trigger


@scenario("uncommitted, then committed", "placement", where="a", old="not committed", new="CPU:0", fix="jax.device_put(a")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (jax.device_put(x4, jax.devices()[0]),))


@scenario("another device", "placement", where="p['w']", old="CPU:0", new="CPU:1", fix="Keep `p['w']` on one device")
def _() -> Any:
    one, other = (jax.device_put(x4, device) for device in jax.devices()[:2])
    return calls(jax.jit(lambda p: p["w"] * 2), ({"w": one},), ({"w": other},))


@scenario("another sharding", "placement", where="a", new="P('x',) over CPU:0, CPU:1")
def _() -> Any:
    mesh = Mesh(np.array(jax.devices()[:2]), ("x",))
    one, other = (jax.device_put(x4, NamedSharding(mesh, PartitionSpec(*axes))) for axes in ((), ("x",)))
    return calls(jax.jit(lambda a: a * 2), (one,), (other,))


def spread(*axes: str | None, name: str = "x") -> NamedSharding:
    return NamedSharding(Mesh(np.array(jax.devices()[:2]), (name,)), PartitionSpec(*axes))


@scenario("on one device, then spread", "placement", where="p['w']", old="CPU:0", new="P('x',) over CPU:0, CPU:1")
def _() -> Any:
    one, other = jax.device_put(x4, jax.devices()[0]), jax.device_put(x4, spread("x"))
    return calls(jax.jit(lambda p: p["w"] * 2), ({"w": one},), ({"w": other},))


@scenario("mesh of another axis", "placement", where="a", old="P() over CPU:0, CPU:1 of mesh(x=2)", new="P() over CPU:0, CPU:1 of mesh(y=2)")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (jax.device_put(x4, spread()),), (jax.device_put(x4, spread(name="y")),))


@scenario("spread, and another shape", "shape", where="a", old="f32[4]", new="f32[8]", also=(("placement", "a"),))
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (jax.device_put(np.ones(8, np.float32), spread("x")),))


@scenario("in_shardings", "placement", where="in_shardings")
def _() -> Any:
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:2]), ("x",)), PartitionSpec("x"))

    def f(a: Any) -> Any:
        return a * 2

    return lambda: jax.jit(f)(x4), lambda: jax.jit(f, in_shardings=sharding)(x4)


@scenario("all caches cleared", "evicted", where="jax.clear_caches()", new="forgotten")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        jax.clear_caches()
        f(x4)

    return lambda: f(x4), trigger


@scenario("cache of the function cleared", "evicted", where="JAX's caches")
def _() -> Any:
    f: Any = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        f.clear_cache()
        f(x4)

    return lambda: f(x4), trigger


@scenario("caches cleared, and another shape", "shape", where="a", old="f32[4]", new="f32[5]")
def _() -> Any:
    f = jax.jit(lambda a: a * 2)

    def trigger() -> None:
        jax.clear_caches()
        f(x5)

    return lambda: f(x4), trigger


# Transformations ------------------------------------------------------------------------------------------------------


@scenario("gradient", "transform", where="grad", old="called as it is", new="grad", fix="Nothing: each transformation")
def _() -> Any:
    f = jax.jit(lambda a: (a * 2).sum())
    return lambda: f(x4), lambda: jax.grad(f)(x4)


@scenario("gradient with another shape", "shape", where="a", old="f32[4]", new="f32[5]")
def _() -> Any:
    f = jax.jit(lambda a: jnp.sin(a).sum())
    return lambda: jax.grad(f)(x4), lambda: jax.grad(f)(x5)


@scenario("gradient by another argument", "transform", where="grad", old="by a", new="by b")
def _() -> Any:
    f = jax.jit(lambda a, b: (jnp.sin(a) * b).sum())
    return lambda: jax.grad(f)(x4, x4), lambda: jax.grad(f, 1)(x4, x4)


BACKWARD = 1
"""Which of the programs of a gradient is its way back."""


@scenario("way back with another dtype", "dtype", where="a", old="f32[4]", new="bf16[4]", at=BACKWARD, function="sines")
def _() -> Any:
    def sines(a: Any) -> Any:
        return jnp.sin(a).sum()

    f, half = jax.jit(sines), jnp.asarray(x4, jnp.bfloat16)
    return lambda: jax.grad(f)(x4), lambda: jax.grad(f)(half)


@scenario("way back with another shape", "shape", where="a", old="f32[4]", new="f32[5]", at=BACKWARD, function="doubled")
def _() -> Any:
    def doubled(a: Any) -> Any:
        return (2 * a).sum()

    f = jax.jit(doubled)
    return lambda: jax.value_and_grad(f)(x4), lambda: jax.value_and_grad(f)(x5)


@scenario("way back with another static value", "static_argument", where="n", old="1", new="2", at=BACKWARD, function="times")
def _() -> Any:
    def times(a: Any, n: int) -> Any:
        return (jnp.sin(a) * n).sum()

    f = jax.jit(times, static_argnums=1)
    return lambda: jax.grad(f)(x4, 1), lambda: jax.grad(f)(x4, 2)


@scenario("way back by another argument", "transform", where="grad", old="by a", new="by b", at=BACKWARD, function="product")
def _() -> Any:
    def product(a: Any, b: Any) -> Any:
        return (jnp.sin(a) * b).sum()

    f = jax.jit(product)
    return lambda: jax.grad(f)(x4, x4), lambda: jax.grad(f, 1)(x4, x4)


@scenario("way back of a function made anew", "function_rebuilt", where="again", at=BACKWARD, function="again")
def _() -> Any:
    def call() -> Any:
        @jax.jit
        def again(a: Any) -> Any:
            return jnp.sin(a).sum()

        return jax.grad(again)(x4)

    return call, call


@scenario("way back asked for later", "dtype", where="w", old="f32[3,2]", new="bf16[3,2]", at=BACKWARD, function="layer", also=(("dtype", "x"),))
def _() -> Any:
    def layer(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w)

    f, kept = jax.jit(layer), [jnp.ones((3, 2), dtype) for dtype in (jnp.float32, jnp.bfloat16)]
    xs = [jnp.ones((4, 3), one.dtype) for one in kept]

    def call(at: int) -> Any:
        y, back = jax.vjp(f, kept[at], xs[at])
        return back(y)

    return lambda: call(0), lambda: call(1)


@scenario("way back within a Hessian", "shape", where="a", old="f32[4]", new="f32[5]", at=BACKWARD, function="squares")
def _() -> Any:
    def squares(a: Any) -> Any:
        return (jnp.sin(a) ** 2).sum()

    f = jax.jit(squares)
    return lambda: jax.hessian(f)(x4), lambda: jax.hessian(f)(x5)


@scenario("function known from within another, then called itself", "first", function="loss_of")
def _() -> Any:
    @jax.jit
    def loss_of(a: Any) -> Any:
        return (a**2).sum()

    step = jax.jit(lambda a: loss_of(a) * 2)
    return lambda: step(x4), lambda: loss_of(x4)


@scenario("first gradient of a function that was never called", "first")
def _() -> Any:
    f = jax.jit(lambda a: jnp.cos(a).sum())
    return lambda: None, lambda: jax.grad(f)(x4)


@scenario("value_and_grad after grad", NONE)
def _() -> Any:
    f = jax.jit(lambda a: jnp.sin(a).sum())
    return lambda: jax.grad(f)(x4), lambda: jax.value_and_grad(f)(x4)


@scenario("vmap", "transform", where="vmap", old="called as it is", new="vmap")
def _() -> Any:
    f = jax.jit(lambda a: (a * 2).sum())
    return lambda: f(x4), lambda: jax.vmap(f)(np.ones((3, 4), np.float32))


@scenario("vmap over another number", "shape", old="f32[3,4]", new="f32[6,4]")
def _() -> Any:
    f = jax.jit(lambda a: (a * 2).sum())
    return lambda: jax.vmap(f)(np.ones((3, 4), np.float32)), lambda: jax.vmap(f)(np.ones((6, 4), np.float32))


@scenario("a function within", "shape", where="a", old="f32[4]", new="f32[5]", function="outer")
def _() -> Any:
    inner = jax.jit(lambda a: a * 2)

    def outer(a: Any) -> Any:
        return inner(a) + inner(a * 2)

    f = jax.jit(outer)
    return lambda: f(x4), lambda: f(x5)


@scenario("ahead of time, then jit", NONE)
def _() -> Any:
    f: Any = jax.jit(lambda a: a * 2)
    return lambda: f.lower(x4).compile(), lambda: f(x4)


@scenario("ahead of time with another shape", "shape", where="a", old="f32[4]", new="f32[5]")
def _() -> Any:
    f: Any = jax.jit(lambda a: a * 2)
    return lambda: f.lower(x4).compile(), lambda: f.lower(x5).compile()


@scenario("shapes asked for, then compiled", "first")
def _() -> Any:
    f: Any = jax.jit(lambda a: a * 2)
    return lambda: f.eval_shape(x4), lambda: f(x4)


@scenario("body of a loop made anew for another length", "shape", where="args[1]", old="f32[4]", new="f32[5]", function="scan")
def _() -> Any:
    def body(c: Any, x: Any) -> Any:
        return c + x, x

    return lambda: jax.lax.scan(body, jnp.float32(0), x4), lambda: jax.lax.scan(body, jnp.float32(0), x5)


@scenario("gradient of a gradient", "transform", where="grad(grad)", old="grad", new="grad(grad)")
def _() -> Any:
    f = jax.jit(lambda a: a**3)
    return lambda: jax.grad(f)(1.0), lambda: jax.grad(jax.grad(f))(1.0)


@scenario("pmap made anew", "function_rebuilt", where="<lambda>", function="<lambda>", fix="Make `jax.pmap(lambda …)` once")
def _() -> Any:
    def call() -> Any:
        return jax.pmap(lambda a: a * 5)(np.ones((2, 3), np.float32))

    return call, call


@scenario("pmap of two functions", "first", function="<lambda>")
def _() -> Any:
    x = np.ones((2, 3), np.float32)
    return lambda: jax.pmap(lambda a: a * 6)(x), lambda: jax.pmap(lambda a: a * 7)(x)


@scenario("pmap of another shape", "shape", where="batch", old="f32[2,3]", new="f32[2,4]", function="<lambda>")
def _() -> Any:
    f: Any = jax.pmap(lambda batch: batch * 8)
    return lambda: f(np.ones((2, 3), np.float32)), lambda: f(np.ones((2, 4), np.float32))


@scenario("pmap with a key added", "pytree", where="params", old="{'w'}", new="{'b', 'w'}", function="<lambda>")
def _() -> Any:
    f, w = jax.pmap(lambda params: params["w"] * 9), np.ones((2, 3), np.float32)
    return lambda: f({"w": w}), lambda: f({"w": w, "b": w})


@scenario("pmap with another static value", "static_argument", where="n", old="1", new="2", function="<lambda>")
def _() -> Any:
    f, w = jax.pmap(lambda a, n: a * n, static_broadcasted_argnums=1), np.ones((2, 3), np.float32)
    return lambda: f(w, 1), lambda: f(w, 2)


@scenario("pmap along other axes", "calling_convention", where="in_axes", old="(0, None)", new="0", function="mapped")
def _() -> Any:
    def mapped(a: Any, b: Any) -> Any:
        return a * b

    w = np.ones((2, 2), np.float32)
    return lambda: jax.pmap(mapped, in_axes=(0, None))(w, w), lambda: jax.pmap(mapped)(w, w)


@scenario("shard_map", "shape", where="a", old="f32[4]", new="f32[8]")
def _() -> Any:
    mesh = Mesh(np.array(jax.devices()[:2]), ("x",))
    f = jax.jit(jax.shard_map(lambda a: a * 2, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x")))
    return lambda: f(x4), lambda: f(np.ones(8, np.float32))


@scenario("mesh of the context", "config", where="abstract mesh", old="None", fix="Enter the same mesh")
def _() -> Any:
    f, mesh = jax.jit(lambda a: a * 2), Mesh(np.array(jax.devices()[:2]), ("x",))

    def trigger() -> None:
        with jax.set_mesh(mesh):
            f(x4)

    return lambda: f(x4), trigger


@scenario("object that can be called", "shape", where="x", old="f32[4]", new="f32[5]", function="Scale")
def _() -> Any:
    class Scale:
        def __call__(self, x: Any) -> Any:
            return x * 2

    f = jax.jit(Scale())
    return lambda: f(x4), lambda: f(x5)


# JAX's own operations -------------------------------------------------------------------------------------------------


@scenario("operation over shapes", "shape", where="x", old="f32[7]", new="f32[9]", function="sin")
def _() -> Any:
    return lambda: jnp.sin(np.ones(7, np.float32)), lambda: jnp.sin(np.ones(9, np.float32))


@scenario("array made with another shape", "shape", where="shape", old="(17, 3)", new="(19, 3)", function="broadcast_in_dim")
def _() -> Any:
    return lambda: jnp.ones((17, 3)), lambda: jnp.ones((19, 3))


@scenario("slice of another length", "static_argument", where="slice_sizes", old="(3,)", new="(4,)", function="dynamic_slice")
def _() -> Any:
    a = jnp.arange(11.0)
    return lambda: a[:3], lambda: a[:4]


@scenario("split into more", "static_argument", where="sizes", old="(4, 4, 4)", new="(3, 3, 3, 3)", function="split")
def _() -> Any:
    a = jnp.arange(12.0)
    return lambda: jnp.split(a, 3), lambda: jnp.split(a, 4)


@scenario("JAX's own function by its public name", "shape", where="a", old="f32[3,23]", new="f32[4,23]", function="jnp.sum")
def _() -> Any:
    a, b = (jnp.asarray(np.ones((length, 23), np.float32)) for length in (3, 4))
    return lambda: jnp.sum(a), lambda: jnp.sum(b)


@scenario("its arguments by theirs", "shape", where="arrays[0]", old="f32[3,29]", new="f32[4,29]", function="concatenate", also=(("shape", "arrays[1]"),))
def _() -> Any:
    a, b = (jnp.asarray(np.ones((length, 29), np.float32)) for length in (3, 4))
    return lambda: jnp.concatenate([a, a]), lambda: jnp.concatenate([b, b])


@scenario(
    "concatenating what grows", "shape", where="arrays[0]", old="f32[42]", new="f32[43]", fix="at its longest and fill it in", function="concatenate", at=2
)
def _() -> Any:
    z, one = jnp.asarray(np.ones(41, np.float32)), jnp.asarray(np.ones(1, np.float32))

    def grow() -> None:
        grown = z
        for _ in range(3):
            grown = jnp.concatenate([grown, one])

    return lambda: jnp.concatenate([z[:40], one]), grow


@scenario("stacking a list that grows", "pytree", where="arrays", old="4 given", new="5 given", fix="Pass `arrays` as one array", function="stack")
def _() -> Any:
    one = jnp.asarray(np.ones(47, np.float32))
    return lambda: jnp.stack([one] * 4), lambda: jnp.stack([one] * 5)


@scenario("of what a function takes by any name", "shape", where="kw['b']", old="f32[4]", new="f32[5]", fix="`kw['b']`")
def _() -> Any:
    f = jax.jit(lambda a, **kw: a * kw["b"].sum())
    return lambda: f(x4, b=x4, c=1), lambda: f(x4, b=x5, c=1)


@scenario("random numbers of another shape", "shape", where="shape", old="(3, 31)", new="(4, 31)", function="jax.random.normal")
def _() -> Any:
    key = jax.random.key(0)
    return lambda: jax.random.normal(key, (3, 31)), lambda: jax.random.normal(key, (4, 31))


# Libraries ------------------------------------------------------------------------------------------------------------


@scenario("equinox: another batch", "shape", where="x", old="f32[32,3]", new="f32[17,3]", function="forward")
def _() -> Any:
    import equinox as eqx

    model = eqx.nn.Linear(3, 2, key=jax.random.key(0))

    @eqx.filter_jit
    def forward(model: Any, x: Any) -> Any:
        return jax.vmap(model)(x)

    return lambda: forward(model, m32), lambda: forward(model, m17)


@scenario("equinox: a number that is static", "static_argument", where="rate", old="0.1", new="0.2", function="train")
def _() -> Any:
    import equinox as eqx

    @eqx.filter_jit
    def train(w: Any, rate: float) -> Any:
        return w * rate

    return lambda: train(x4, 0.1), lambda: train(x4, 0.2)


@scenario("equinox: a model that is called", "dtype", where="x", old="f32[3]", new="i32[3]", function="Linear")
def _() -> Any:
    import equinox as eqx

    call: Any = eqx.filter_jit(eqx.nn.Linear(3, 2, key=jax.random.key(0)))
    return lambda: call(np.ones(3, np.float32)), lambda: call(np.ones(3, np.int32))


@scenario("equinox: other weights", "dtype", where="self.weight", old="f32[2,3]", new="bf16[2,3]", function="Linear", also=(("dtype", "self.bias"),))
def _() -> Any:
    import equinox as eqx

    model: Any = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    other = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), model)
    x: Any = np.ones(3, np.float32)
    return lambda: eqx.filter_jit(model)(x), lambda: eqx.filter_jit(other)(x)


@scenario(
    "equinox: another width",
    "pytree",
    where="model.out_features",
    old="2",
    new="5",
    also=(("shape", "model.weight"), ("shape", "model.bias")),
    function="forward",
)
def _() -> Any:
    import equinox as eqx

    @eqx.filter_jit
    def forward(model: Any, x: Any) -> Any:
        return jax.vmap(model)(x)

    one, other = (eqx.nn.Linear(3, width, key=jax.random.key(0)) for width in (2, 5))
    return lambda: forward(one, m32), lambda: forward(other, m32)


@scenario("equinox: weights of another shape", "shape", where="model.weight", old="f32[2,3]", new="f32[4,3]", function="product")
def _() -> Any:
    import equinox as eqx

    @eqx.filter_jit
    def product(model: Any, x: Any) -> Any:
        return model.weight @ x.T

    one: Any = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    other = eqx.tree_at(lambda model: model.weight, one, jnp.ones((4, 3)))
    return lambda: product(one, m32), lambda: product(other, m32)


@scenario("equinox: field that is no data", "pytree", where="model.scale", old="1.0", new="2.0", function="scaled")
def _() -> Any:
    import equinox as eqx

    class Scaled(eqx.Module):
        w: jax.Array
        scale: float = eqx.field(static=True)

    def scaled(model: Any) -> Any:
        return model.w * model.scale

    f = jax.jit(scaled)
    return lambda: f(Scaled(jnp.ones(3), 1.0)), lambda: f(Scaled(jnp.ones(3), 2.0))


@scenario("equinox: gradient of another batch", "shape", where="x", old="f32[32,3]", new="f32[17,3]", function="loss")
def _() -> Any:
    import equinox as eqx

    def loss(model: Any, x: Any) -> Any:
        return jnp.sum(jax.vmap(model)(x))

    model, step = eqx.nn.Linear(3, 2, key=jax.random.key(0)), eqx.filter_jit(eqx.filter_value_and_grad(loss))
    return lambda: step(model, m32), lambda: step(model, m17)


@scenario("flax: optimiser made anew", "pytree", where="state.tx", fix="Make `state.tx` once and pass the same one", function="update")
def _() -> Any:
    import flax.linen as nn
    import optax
    from flax.training.train_state import TrainState

    model = nn.Dense(2)
    weights = model.init(jax.random.key(0), m32)

    def update(state: Any) -> Any:
        return state.step + 1

    f = jax.jit(update)
    one, other = (TrainState.create(apply_fn=model.apply, params=weights, tx=optax.adam(0.1)) for _ in range(2))
    return lambda: f(one), lambda: f(other)


@scenario("flax: another batch", "shape", where="args[0]", old="f32[32,3]", new="f32[17,3]", function="apply")
def _() -> Any:
    import flax.linen as nn

    model = nn.Dense(2)
    weights = model.init(jax.random.key(0), m32)
    apply = jax.jit(model.apply)
    return lambda: apply(weights, m32), lambda: apply(weights, m17)


@scenario("optax: state of another optimiser", "pytree", where="state[0]", old="EmptyState", new="ScaleByAdamState", function="update")
def _() -> Any:
    import optax

    def update(w: Any, state: Any) -> Any:
        return jax.tree.map(lambda leaf: leaf * 2, state), w

    f = jax.jit(update)
    return lambda: f(x4, optax.sgd(0.1).init(x4)), lambda: f(x4, optax.adam(0.1).init(x4))


# What to do about it: cases whose advice differs ----------------------------------------------------------------------


@scenario("images of bytes, then of floats", "dtype", where="image", old="u8[32,3]", new="f32[32,3]", fix="Make `image` float32")
def _() -> Any:
    return calls(jax.jit(lambda image: image * 2), (m32.astype(np.uint8),), (m32,))


@scenario("floats, then fewer bits", "dtype", where="a", old="f32[4]", new="bf16[4]", fix="Make `a` float32 at each call, where it is made: bfloat16")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (jnp.asarray(x4, jnp.bfloat16),))


@scenario("a mask, then numbers", "dtype", where="mask", old="bool[4]", new="f32[4]", fix="Make `mask` the same dtype")
def _() -> Any:
    return calls(jax.jit(lambda mask: mask * 2), (x4 > 1,), (x4,))


@scenario("a raw key, then a typed one", "dtype", where="key", fix="jax.random.PRNGKey everywhere", also=(("shape", "key"),))
def _() -> Any:
    return calls(jax.jit(lambda key: jax.random.uniform(key, (2,))), (jax.random.PRNGKey(0),), (jax.random.key(0),))


@scenario("a sequence that grows", "shape", where="tokens", fix="Preallocate axis 1 of `tokens`")
def _() -> Any:
    f = jax.jit(lambda tokens: tokens * 2)
    return lambda: (f(i4[None, :2]), f(i4[None, :3])), lambda: f(i4[None])


@scenario("sequences of several lengths", "shape", where="tokens", fix="Pad axis 1 of `tokens` to one of a few lengths")
def _() -> Any:
    return calls(jax.jit(lambda tokens: tokens * 2), (i4[None],), (i4[None, :2],))


@scenario("images of several sizes", "shape", where="image", fix="Pad `image` to one shape")
def _() -> Any:
    return calls(jax.jit(lambda image: image * 2), (np.ones((1, 8, 8), np.float32),), (np.ones((1, 9, 7), np.float32),))


@scenario("another model", "shape", where="params['kernel']", fix="Nothing, if the model was meant to change")
def _() -> Any:
    return calls(jax.jit(lambda params: params["kernel"] * 2), ({"kernel": m32},), ({"kernel": m17},))


@scenario("a text in a static field", "pytree", where="state.rate", old="'relu'", new="'tanh'", fix="Keep `state.rate` the same")
def _() -> Any:
    return calls(jax.jit(lambda state: state.p * 2), (State(x4, i4, "relu"),), (State(x4, i4, "tanh"),))


@scenario("a lambda in a static field", "pytree", where="state.rate", new="another <lambda>", fix="Define the lambda once")
def _() -> Any:
    f = jax.jit(lambda state: state.p * 2)

    def call() -> Any:
        return f(State(x4, i4, lambda a: a))

    return call, call


@scenario("another type of dictionary", "pytree", where="p", fix="as a plain dict at each call")
def _() -> Any:
    from flax.core import freeze

    return calls(jax.jit(lambda p: p["w"] * 2), ({"w": x4},), (freeze({"w": x4}),))


@scenario("another tuple", "pytree", where="xs", old="tuple of 2", new="tuple of 3", fix="the same number of items")
def _() -> Any:
    return calls(jax.jit(lambda xs: xs[0] * 2), ((x4, x4),), ((x4, x4, x4),))


@scenario("static flag", "static_argument", where="train", old="True", new="False", fix="Use few values of `train`")
def _() -> Any:
    return calls(jax.jit(lambda a, train: a * 2 if train else a, static_argnums=1), (x4, True), (x4, False))


@scenario("static shape", "static_argument", where="shape", old="(2, 2)", new="(4, 1)", fix="Use few values of `shape`")
def _() -> Any:
    return calls(jax.jit(lambda a, shape: a.reshape(shape), static_argnums=1), (x4, (2, 2)), (x4, (4, 1)))


@scenario("static dtype", "static_argument", where="dtype", fix="Use few values of `dtype`")
def _() -> Any:
    return calls(jax.jit(lambda a, dtype: a.astype(dtype), static_argnums=1), (x4, jnp.float32), (x4, jnp.float16))


@scenario("static rate", "static_argument", where="lr", old="0.1", new="0.01", fix="Pass `lr` as an array, so that")
def _() -> Any:
    return calls(jax.jit(lambda a, lr: a * lr, static_argnums=1), (x4, 0.1), (x4, 0.01))


@scenario("static rate of NumPy's", "static_argument", where="lr", fix="Pass `lr` as an array")
def _() -> Any:
    return calls(jax.jit(lambda a, lr: a * lr, static_argnums=1), (x4, np.float32(0.1)), (x4, np.float32(0.01)))


@scenario("rate of a static configuration", "static_argument", where="cfg.rate", fix="Pass `cfg.rate` as an array argument of its own")
def _() -> Any:
    return calls(jax.jit(lambda cfg, a: a * cfg.rate, static_argnums=0), (Config(4, rate=0.1), x4), (Config(4, rate=0.2), x4))


@scenario("static partial made anew", "static_argument", where="act", fix="Make `functools.partial(twice)` once, outside the loop")
def _() -> Any:
    f = jax.jit(lambda a, act: act(a), static_argnums=1)
    return lambda: f(x4, functools.partial(twice)), lambda: f(x4, functools.partial(twice))


@scenario("static lambda made anew", "static_argument", where="act", fix="Define the lambda once, outside the loop")
def _() -> Any:
    f = jax.jit(lambda a, act: act(a), static_argnums=1)

    def call() -> Any:
        return f(x4, lambda a: a * 2)

    return call, call


@scenario("static method of an object made anew", "static_argument", where="act", fix="Make `Model(…).plain` once, outside the loop")
def _() -> Any:
    f = jax.jit(lambda a, act: act(a), static_argnums=1)
    return lambda: f(x4, Model().plain), lambda: f(x4, Model().plain)


@scenario("static optimiser made anew", "static_argument", where="tx", fix="since its functions are made anew with it")
def _() -> Any:
    import optax

    f = jax.jit(lambda a, tx: a * 2, static_argnums=1)
    return lambda: f(x4, optax.adam(0.1)), lambda: f(x4, optax.adam(0.1))


class Compared:
    """Equal by what no text of its own shows."""

    def __init__(self, number: Any) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compared) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)


@scenario("static object that its class compares", "static_argument", where="cfg.number", old="1", new="2")
def _() -> Any:
    return calls(jax.jit(lambda a, cfg: a * cfg.number, static_argnums=1), (x4, Compared(1)), (x4, Compared(2)))


@scenario("static object that is compared by what has no text", "static_argument", where="cfg", fix="Pass the same `cfg` at each call")
def _() -> Any:
    return calls(jax.jit(lambda a, cfg: a * cfg.number.number, static_argnums=1), (x4, Compared(Compared(1))), (x4, Compared(Compared(2))))


@scenario("static, then not", "static_argument", where="static_argnums", fix="Make one jit of the function", also=(("static_argument", "n"),))
def _() -> Any:
    def f(a: Any, n: Any) -> Any:
        return a * n

    return lambda: jax.jit(f, static_argnums=1)(x4, 2), lambda: jax.jit(f)(x4, 2)


@scenario("gradients of a batch made anew", "function_rebuilt", where="loss", fix="Make `jax.vmap(jax.grad(loss))` and its jit once")
def _() -> Any:
    def loss(a: Any) -> Any:
        return (a * 2).sum()

    return lambda: jax.jit(jax.vmap(jax.grad(loss)))(m32), lambda: jax.jit(jax.vmap(jax.grad(loss)))(m32)


@scenario("partial of a partial made anew", "function_rebuilt", where="twice", fix="Make `functools.partial(twice)` and its jit once")
def _() -> Any:
    return lambda: jax.jit(functools.partial(functools.partial(twice)))(x4), lambda: jax.jit(functools.partial(functools.partial(twice)))(x4)


@scenario("partial with another function", "function_rebuilt", where="act", fix="pass `act` as a static argument")
def _() -> Any:
    def apply(a: Any, act: Any) -> Any:
        return act(a)

    return lambda: jax.jit(functools.partial(apply, act=jnp.tanh))(x4), lambda: jax.jit(functools.partial(apply, act=jnp.sin))(x4)


@scenario("partial with another value by position", "function_rebuilt", where="scale", old="2", new="3", fix="pass `scale` as an argument")
def _() -> Any:
    def scaled(scale: float, a: Any) -> Any:
        return a * scale

    return lambda: jax.jit(functools.partial(scaled, 2))(x4), lambda: jax.jit(functools.partial(scaled, 3))(x4)


@scenario("the same devices in another order", "placement", where="a", old="P('x',) over CPU:0, CPU:1", new="P('x',) over CPU:1, CPU:0")
def _() -> Any:
    meshes = [Mesh(np.array(devices), ("x",)) for devices in (jax.devices()[:2], jax.devices()[1::-1])]
    one, other = (jax.device_put(x4, NamedSharding(mesh, PartitionSpec("x"))) for mesh in meshes)
    return calls(jax.jit(lambda a: a * 2), (one,), (other,))


@scenario("ahead of time with other options of the compiler", "config", where="compiler_options", old="not given", new="{'xla_cpu_enable_fast_math': True}")
def _() -> Any:
    def compiled_ahead(a: Any) -> Any:
        return a * 2

    f = jax.jit(compiled_ahead)
    return lambda: f.lower(x4).compile(), lambda: f.lower(x4).compile({"xla_cpu_enable_fast_math": True})


@scenario("mapped along another axis", "transform", where="vmap", old="by a", new="by a along axis 1")
def _() -> Any:
    f, square = jax.jit(lambda a: (a * 2).sum()), np.ones((4, 4), np.float32)
    return lambda: jax.vmap(f)(square), lambda: jax.vmap(f, in_axes=1)(square)


@scenario("a gradient of a gradient, the last of its programs", "transform", where="grad(grad)", old="grad", new="grad(grad)", function="<lambda>", at=-1)
def _() -> Any:
    f = jax.jit(lambda a: a**3)
    return lambda: jax.grad(f)(2.0), lambda: jax.grad(jax.grad(f))(2.0)


@scenario("by name, then another shape by position", "shape", where="b", old="f32[4]", new="f32[5]", also=(("calling_convention", "b"),))
def _() -> Any:
    f = jax.jit(lambda a, b: a * b.sum())
    return lambda: f(x4, b=x4), lambda: f(x4, x5)


@scenario("a wider model by short names", "shape", where="p['b']", old="f32[3]", new="f32[5]", fix="Nothing, if the model was meant to change")
def _() -> Any:
    f = jax.jit(lambda p: p["b"].sum())
    return lambda: f({"b": np.ones(3, np.float32)}), lambda: f({"b": np.ones(5, np.float32)})


@scenario("uncommitted, then spread", "placement", where="a", old="not committed", new="P('x',) over CPU:0, CPU:1", fix="its sharding before the first call")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (x4,), (jax.device_put(x4, spread("x")),))


@scenario("committed, then uncommitted", "placement", where="a", old="CPU:0", new="not committed", fix="Put `a` on CPU:0 here, too")
def _() -> Any:
    return calls(jax.jit(lambda a: a * 2), (jax.device_put(x4, jax.devices()[0]),), (x4,))


@scenario("one of several arrays put somewhere", "placement", where="p['w']", fix="jax.device_put(p['w'], device)")
def _() -> Any:
    put = jax.device_put(x4, jax.devices()[0])
    return calls(jax.jit(lambda p: p["w"] * p["v"]), ({"v": x4, "w": x4},), ({"v": x4, "w": put},))


@scenario("all arrays put somewhere", "placement", where="p['v']", fix="Put all of `p` on CPU:0", also=(("placement", "p['w']"),))
def _() -> Any:
    put = jax.device_put(x4, jax.devices()[0])
    return calls(jax.jit(lambda p: p["w"] * p["v"]), ({"v": x4, "w": x4},), ({"v": put, "w": put},))


@scenario("flax nnx: another batch", "shape", where="x", old="f32[32,3]", new="f32[17,3]", function="forward")
def _() -> Any:
    from flax import nnx

    @nnx.jit
    def forward(model: Any, x: Any) -> Any:
        return model(x)

    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    return lambda: forward(model, m32), lambda: forward(model, m17)


@scenario(
    "flax nnx: another width", "pytree", where="model.linear.out_features", old="4", new="5", function="forward",
    fix="Use few values of `model.linear.out_features`",
    also=(("pytree", "model.out.in_features"), ("shape", "model.linear.bias"), ("shape", "model.linear.kernel"), ("shape", "model.out.kernel")),
)  # fmt: skip
def _() -> Any:
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, width: int) -> None:
            rngs = nnx.Rngs(0)
            self.linear, self.out = nnx.Linear(3, width, rngs=rngs), nnx.Linear(width, 2, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            return self.out(self.linear(x))

    @nnx.jit
    def forward(model: Any, x: Any) -> Any:
        return model(x)

    return calls(forward, (Network(4), m32), (Network(5), m32))


@scenario("flax nnx: another layer", "pytree", where="model.layers", old="List of 1", new="List of 2", function="forward")
def _() -> Any:
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, depth: int) -> None:
            self.layers = nnx.List([nnx.Linear(3, 3, rngs=nnx.Rngs(0)) for _ in range(depth)])

    @nnx.jit
    def forward(model: Any, x: Any) -> Any:
        for layer in model.layers:
            x = layer(x)
        return x

    return calls(forward, (Network(1), m32), (Network(2), m32))


class Nameless:
    """A pytree that passes its arrays on without names."""

    def __init__(self, w: Any, b: Any) -> None:
        self.w, self.b = w, b


jax.tree_util.register_pytree_node(Nameless, lambda one: ((one.w, one.b), None), lambda _, parts: Nameless(*parts))


@scenario("arrays without names, of a class with attributes", "shape", where="p.b", old="f32[4]", new="f32[5]")
def _() -> Any:
    return calls(jax.jit(lambda p: p.b * 2), (Nameless(x4, x4 + 1),), (Nameless(x4, x5),))


class Hidden:
    """Such a one whose attributes do not hold what it passes on."""

    def __init__(self, w: Any) -> None:
        self.held = [w]


jax.tree_util.register_pytree_node(Hidden, lambda one: (tuple(one.held), None), lambda _, parts: Hidden(*parts))


@scenario("arrays that no attribute holds", "shape", where="p[leaf 0 of Hidden]", old="f32[4]", new="f32[5]")
def _() -> Any:
    return calls(jax.jit(lambda p: p.held[0] * 2), (Hidden(x4),), (Hidden(x5),))


@scenario("a length that is longer once", "shape", where="tokens", old="f32[4]", new="f32[5]", fix="Pad `tokens` to one size, or drop the last batch if")
def _() -> Any:
    f = jax.jit(lambda tokens: tokens * 2)
    return lambda: f(x4), lambda: f(x5)


@scenario("a length after longer and shorter ones", "shape", where="tokens", old="f32[4]", new="f32[5]", fix="Pad `tokens` to one of a few lengths, such")
def _() -> Any:
    f = jax.jit(lambda tokens: tokens * 2)
    return lambda: (f(np.ones(9, np.float32)), f(x4)), lambda: f(x5)


@scenario(
    "body of a scan over another array",
    "function_rebuilt",
    where="w",
    old="f32[4]",
    new="f32[5]",
    function="scan",
    fix="pass `w` to it in the carry",
    also=(("shape", "args[0]"),),
)
def _() -> Any:
    def call(w: Any) -> Any:
        return jax.lax.scan(lambda c, x: (c * x + w.sum(), None), jnp.float32(0), jnp.asarray(x4))

    return lambda: call(jnp.asarray(x4)), lambda: call(jnp.asarray(x5))


@scenario("flax: static model of another width", "static_argument", where="model.features", old="2", new="5", also=(("shape", "w"),))
def _() -> Any:
    import flax.linen as nn

    f = jax.jit(lambda model, w: w * model.features, static_argnums=0)
    return lambda: f(nn.Dense(2), x4), lambda: f(nn.Dense(5), x5)


@scenario("gradient of a custom_vjp", "shape", where="a", old="f32[4]", new="f32[5]", at=BACKWARD, function="squared")
def _() -> Any:
    @jax.custom_vjp
    def square(x: Any) -> Any:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (2 * x * g,))

    def squared(a: Any) -> Any:
        return square(a).sum()

    f = jax.jit(squared)
    return lambda: jax.grad(f)(x4), lambda: jax.grad(f)(x5)


@scenario("out_shardings of another layout", "placement", where="out_shardings", old="P() of mesh(x=2)", new="P('x',) of mesh(x=2)")
def _() -> Any:
    def f(a: Any) -> Any:
        return a * 2

    return lambda: jax.jit(f, out_shardings=spread())(x4), lambda: jax.jit(f, out_shardings=spread("x"))(x4)


@scenario("vmap along other arguments", "transform", where="vmap", old="by a, b", new="by a")
def _() -> Any:
    f, square = jax.jit(lambda a, b: a * b), np.ones((4, 4), np.float32)
    return lambda: jax.vmap(f)(square, square), lambda: jax.vmap(f, in_axes=(0, None))(square, x4)


@scenario("rate set by hand in an optimiser's state", "weak_type", where="state.hyperparams['learning_rate']", old="f32[]", new="f32[] (weak)")
def _() -> Any:
    import optax

    tx, w = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1), {"w": x4}
    state: Any = tx.init(w)
    by_hand = state._replace(hyperparams={"learning_rate": 0.2})
    f = jax.jit(lambda w, state: tx.update(w, state, w))
    return lambda: f(w, state), lambda: f(w, by_hand)
