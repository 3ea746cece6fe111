"""Random programs of array functions: what there is to call, and with what."""

import operator
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

NAMESPACES = {"numpy": jnp, "nn": jax.nn, "lax": jax.lax, "linalg": jnp.linalg, "fft": jnp.fft}
SKIPPED = {
    # What they return is not determined by what they are given.
    "empty", "empty_like",
    # About types; with values they only refuse, each in their own way.
    "issubdtype", "isdtype", "can_cast", "promote_types", "result_type",
    # Of no use with these arguments, or about files, devices and processes.
    "save", "savez", "printoptions", "set_printoptions", "with_sharding_constraint", "create_token", "infeed", "outfeed",
    # NumPy's word for a shape as data, which lazily is a tensor.
    "shape_as_value",
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """Something to call: a namespace's function, a method, an operator."""

    name: str
    call: Callable[..., Any]
    """Takes the namespaces, by name, then the arguments."""
    arity: int


def of_namespace(space: str, name: str, arity: int) -> Function:
    return Function(f"{space}.{name}", lambda spaces, *args, **kwargs: getattr(spaces[space], name)(*args, **kwargs), arity)


@cache
def functions() -> list[Function]:
    """Every function of the namespaces that takes one, two or three square matrices, or a list of them."""
    found = []
    spec = jax.ShapeDtypeStruct((3, 3), jnp.float32)
    for space, module in NAMESPACES.items():
        for name in sorted(dir(module)):
            member = getattr(module, name)
            if name.startswith("_") or name in SKIPPED or not callable(member) or isinstance(member, type):
                continue
            found += [of_namespace(space, name, arity) for arity in (1, 2, 3) if is_accepted(member, spec, arity)]
    return found


def is_accepted(member: Callable[..., Any], spec: Any, arity: int) -> bool:
    """Whether a function can be traced with so many matrices, to arrays."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = jax.eval_shape(lambda *xs: member(*xs), *[spec] * arity)  # jit itself cannot take some of NumPy's own functions
    except Exception:  # noqa: BLE001 - whatever it says, it does not take them
        return False
    return bool(jax.tree.leaves(result)) and all(isinstance(x, jax.ShapeDtypeStruct) for x in jax.tree.leaves(result))


BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge",
    "iadd", "isub", "imul", "itruediv", "ipow", "imatmul", "iand",
)  # fmt: skip
OPERATORS = [
    *[Function(name, lambda _, a, b, name=name: getattr(operator, name)(a, b), 2) for name in BINARY],
    *[Function(f"r{name}", lambda _, a, b, name=name: getattr(operator, name)(b, a), 2) for name in BINARY[:19]],
    Function("divmod", lambda _, a, b: divmod(a, b), 2),
    Function("rdivmod", lambda _, a, b: divmod(b, a), 2),
    *[Function(name, lambda _, a, name=name: getattr(operator, name)(a), 1) for name in ("neg", "pos", "abs", "invert")],
    Function("round", lambda _, a: round(a), 1),
    Function("round 1", lambda _, a: round(a, 1), 1),
]
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmax", "argmin", "cumsum", "cumprod", "sort", "argsort")
PLAIN_METHODS = ("ravel", "flatten", "squeeze", "conj", "transpose", "copy", "diagonal", "trace", "nonzero")
METHODS = [
    *[Function(f".{name}({kw})", lambda _, a, name=name, kw=kw: getattr(a, name)(**kw), 1) for name in REDUCTIONS for kw in ({}, {"axis": 0}, {"axis": -1})],
    *[Function(f".{name}(keepdims)", lambda _, a, name=name: getattr(a, name)(axis=0, keepdims=True), 1) for name in REDUCTIONS[:9]],
    *[Function(f".astype({d})", lambda _, a, d=d: a.astype(d), 1) for d in ("float32", "int8", "bfloat16", "bool", "complex64", float, int)],
    *[Function(f".{name}", lambda _, a, name=name: getattr(a, name), 1) for name in ("T", "real", "imag", "mT")],
    *[
        Function(f".{name}()", lambda _, a, name=name: getattr(a, name)(), 1)
        for name in ("ravel", "flatten", "squeeze", "conj", "transpose", "copy", "diagonal", "trace", "nonzero")
    ],
    Function(".reshape(-1)", lambda _, a: a.reshape(-1), 1),
    Function(".reshape(3, -1)", lambda _, a: a.reshape(3, -1), 1),
    Function(".clip", lambda _, a, b: a.clip(b), 2),
    Function(".dot", lambda _, a, b: a.dot(b), 2),
    Function(".take", lambda _, a, b: a.take(b), 2),
    Function(".repeat", lambda _, a: a.repeat(2, axis=0), 1),
    Function(".view", lambda _, a: a.view("int32"), 1),
]
SHAPING = [
    Function("where", lambda s, a, b, c: s["numpy"].where(a, b, c), 3),
    Function("where > 0", lambda s, a, b: s["numpy"].where(a > 0, a, b), 2),
    Function("stack nested", lambda s, a, b: s["numpy"].stack([s["numpy"].stack([a, b]), s["numpy"].stack([b, a])]), 2),
    Function("array of lists", lambda s, a, b: s["numpy"].array([[a, b], [b, a]]), 2),
    Function("concatenate", lambda s, a, b: s["numpy"].concatenate([a, b, a], axis=-1), 2),
    Function("einsum", lambda s, a, b: s["numpy"].einsum("ij,kj->ik", a, b), 2),
    Function("einsum ...", lambda s, a: s["numpy"].einsum("...i->...", a), 1),
    Function("split", lambda s, a: s["numpy"].split(a, 3), 1),
    Function("unique", lambda s, a: s["numpy"].unique(a), 1),
    Function("nonzero", lambda s, a: s["numpy"].nonzero(a), 1),
    Function("full_like", lambda s, a, b: s["numpy"].full_like(a, b), 2),
    Function("linspace", lambda s, a, b: s["numpy"].linspace(a, b, 4), 2),
    Function("clip", lambda s, a, b, c: s["numpy"].clip(a, b, c), 3),
    Function("norm", lambda s, a: s["linalg"].norm(a, axis=-1), 1),
    Function("solve", lambda s, a, b: s["linalg"].solve(a + 4 * s["numpy"].eye(3), b), 2),
    Function("softmax", lambda s, a: s["nn"].softmax(a, axis=-1), 1),
    Function("one_hot", lambda s, a: s["nn"].one_hot(a, 3), 1),
    Function("top_k", lambda s, a: s["lax"].top_k(a, 2), 1),
    Function("roll", lambda s, a, b: s["numpy"].roll(a, b, axis=0), 2),
    Function("tensordot", lambda s, a, b: s["numpy"].tensordot(a, b, axes=1), 2),
    Function("astype", lambda s, a: s["numpy"].astype(a, s["numpy"].float16), 1),
    Function("dtype call", lambda s, a: s["numpy"].int16(a), 1),
]
INDICES: list[Any] = [
    0, -1, 7, slice(None), slice(1, None), slice(None, None, -1), slice(0, 2, 2), None, ..., (0, 1), (..., 0), (None, 0), (slice(None), None),
    (slice(1), -1), (), np.array([0, 2]), [0, 1], np.array([True, False, True]), (np.array([0, 1]), 1), (slice(None), np.array([0, 0])), np.int64(1),
    True, False, np.array(1), ([0, 1], [1, 0]),
]  # fmt: skip
UPDATES = ("set", "add", "multiply", "divide", "power", "min", "max", "subtract", "get")
INDEXING = [
    *[Function(f"[{i!r}]", lambda _, a, i=i: a[i], 1) for i in INDICES],
    *[Function(f".at[{i!r}].{u}", lambda _, a, b, i=i, u=u: getattr(a.at[i], u)(*[b] * (u != "get")), 2) for i in INDICES for u in UPDATES[:3]],
    *[Function(f".at[0].{u}", lambda _, a, b, u=u: getattr(a.at[0], u)(*[b] * (u != "get")), 2) for u in UPDATES],
    Function("[tensor]", lambda _, a, b: a[b], 2),
    Function("[tensor, :]", lambda _, a, b: a[b, :], 2),
    Function("[:, tensor]", lambda _, a, b: a[:, b], 2),
    Function("[mask]", lambda _, a: a[a > 0], 1),
    Function("[tensor:]", lambda _, a, b: a[b:], 2),
    Function(".at[tensor].add", lambda _, a, b, c: a.at[b].add(c), 3),
    Function(".at[mask].set", lambda _, a, b: a.at[a > 1].set(b), 2),
    Function(".at[].apply", lambda s, a: a.at[0].apply(abs), 1),
    Function(".at[].set mode", lambda _, a, b: a.at[5].set(b, mode="drop"), 2),
]

NUMBERS: list[Any] = [
    0, 1, -1, 2, 3, 0.0, -0.0, 1.0, 0.5, -1.5, True, False, 1j, float("inf"), float("-inf"), float("nan"), 2**31 - 1, 2**31, -(2**31), 2**40, 2**70,
    1e-30, 1 + 0.5j,
]  # fmt: skip
SCALARS: list[Any] = [
    np.float32(0.5), np.float64(1.5), np.int8(3), np.int64(2), np.uint8(250), np.bool_(True), np.float16(2), np.complex64(1j),
    ml_dtypes.bfloat16(0.25), np.int64(2**40),
]  # fmt: skip
DTYPES: list[Any] = [jnp.float32, jnp.float16, jnp.bfloat16, jnp.int8, jnp.int32, jnp.uint8, jnp.bool_, jnp.complex64]
SHAPES = [(3, 3), (3,), (), (1, 3), (3, 1), (2, 3)]
DATA = np.array([0.5, -1.0, 2.0, 0.0, 3.0, -0.5, 1.0, 4.0, -2.0])


@cache
def start(dtype: int, shape: int) -> jax.Array:
    """Data of a dtype and a shape."""
    size = int(np.prod(SHAPES[shape]))
    return jnp.asarray(np.roll(DATA, dtype)[:size].reshape(SHAPES[shape]).astype(DTYPES[dtype]))


def same_context() -> AbstractContextManager[Any]:
    return nullcontext()


CONTEXTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "": same_context,
    "x64": lambda: jax.enable_x64(True),
    "not x64": lambda: jax.enable_x64(False),
    "strict": lambda: jax.numpy_dtype_promotion("strict"),
    "precision": lambda: jax.default_matmul_precision("float32"),
    "rank": lambda: jax.numpy_rank_promotion("raise"),
}
