"""Ordinary JAX, NumPy and Python take a tensor for an array, and what that reads is recorded with its line."""

import copy
import io
import math
import operator
import pickle
from collections.abc import Callable
from typing import Any

import array_api_compat
import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from property.sameness import outcome, refusal_difference
from x10_jupyter.lazy.producer import EVENTS
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.sink import ListSink

ARRAY = jnp.array([[1.5, -2.0], [3.0, 4.0]], jnp.float32)
ONES = np.ones((2, 2), np.float32)


def plainly(result: Any) -> str:
    """A result without the difference between our tensors, JAX's arrays and NumPy's, which is tested elsewhere."""
    return repr(jax.tree.map(lambda x: (np.asarray(x).tolist(), x.dtype) if hasattr(x, "dtype") and hasattr(x, "shape") else x, result))


def file_of(t: Any) -> Any:
    file = io.BytesIO()
    np.save(file, t)
    file.seek(0)
    return np.load(file)


READING: dict[str, Callable[[Any], Any]] = {
    "jnp": jnp.sin,
    "jnp of many": lambda t: jnp.where(jnp.einsum("ij,jk", t, t) > 0, t, 0),
    "jnp.stack": lambda t: jnp.stack([t, t]),
    "jnp.array": lambda t: jnp.array([t, t]),
    "jnp.asarray": jnp.asarray,
    "jnp of data": jnp.unique,
    "jit": jax.jit(lambda x: x * 2),
    "grad": jax.grad(lambda x: (x * x).sum()),
    "vmap": jax.vmap(lambda row: row.sum()),
    "jvp": lambda t: jax.jvp(lambda x: x * x, (t,), (t,)),
    "vjp": lambda t: jax.vjp(lambda x: x * x, t)[1](t),
    "hessian": lambda t: jax.hessian(lambda x: (x**3).sum())(t),
    "checkpoint": lambda t: jax.checkpoint(lambda x: x * x)(t),
    "compiled": lambda t: jax.jit(lambda x: x * 2).lower(t).compile()(t),
    "device_put": jax.device_put,
    "device_get": jax.device_get,
    "lax": lambda t: jax.lax.dot(t, t),
    "scan": lambda t: jax.lax.scan(lambda c, x: (c + x, c), t[0], t),
    "cond": lambda t: jax.lax.cond(t[0, 0] > 0, lambda x: x, lambda x: -x, t),
    "while_loop": lambda t: jax.lax.while_loop(lambda x: x[0, 0] < 10, lambda x: x * 2, t),
    "nn": jax.nn.softmax,
    "random": lambda t: jax.random.choice(jax.random.key(0), t, (2,)),
    "ravel_pytree": lambda t: jax.flatten_util.ravel_pytree({"a": t})[0] + jnp.sin(t).sum(),
    "index of an array": lambda t: jnp.arange(5)[t.astype(int)[1]],
    "mask of an array": lambda t: jnp.asarray(ONES)[t > 0],
    "beside a tracer": lambda t: jax.jit(lambda x: (t + x, x + t, x @ t, t.sum() * x, t.at[0].set(x[0])))(ARRAY),
    "indexed by a tracer": lambda t: jax.jit(lambda i: (t[i], t.at[i].add(1)))(1),
    "np.sin": np.sin,
    "np.add": lambda t: np.add(t, t),
    "np.stack": lambda t: np.stack([t, t]),
    "np.where": lambda t: np.where(t > 0, t, 0),
    "np.unique": np.unique,
    "np.linalg": lambda t: float(np.linalg.norm(t)),
    "np.testing": lambda t: np.testing.assert_allclose(t, ARRAY),
    "np.asarray": lambda t: np.asarray(t, dtype=np.float64).tolist(),
    "np.array": lambda t: np.array(t, copy=True),
    "np.from_dlpack": np.from_dlpack,
    "jnp.from_dlpack": jnp.from_dlpack,
    "np.save": file_of,
    "list": lambda t: [x.tolist() for x in t],
    "reversed": lambda t: [x.tolist() for x in reversed(t)],
    "unpacked": lambda t: (lambda a, b: a.tolist() + b.tolist())(*t),
    "sorted": lambda t: [float(x) for x in sorted(t[0])],
    "in": lambda t: (1.5 in t[0], 9 in t[0]),
    "pickle": lambda t: pickle.loads(pickle.dumps(t)),
    "format": lambda t: f"{t} {t[0, 0]:.2f}",
    "str": str,
    "float": lambda t: (float(t[0, 0]), int(t[0, 0]), bool(t[0, 0]), complex(t[0, 0])),
    "math": lambda t: (math.floor(t[0, 0]), math.ceil(t[0, 0]), math.exp(t[0, 0])),
    "item": lambda t: (t[0, 0].item(), t.item(2), t.tolist()),
    "range": lambda t: list(range(t.astype(int)[1, 1])),
    "slice": lambda t: [1, 2, 3, 4, 5, 6][t.astype(int)[1, 0] :],
    "zeros_like": lambda t: (jnp.zeros_like(t), jnp.ones_like(t)),
    "block_until_ready": jax.block_until_ready,
    "on its device": lambda t: (t.devices(), t.sharding, t.is_deleted(), t.addressable_data(0)),
    "several numbers": float,
    "truth of several": bool,
    "index of a fraction": lambda t: [1, 2][t[0, 0]],
}
WITHOUT_A_READ: dict[str, Callable[[Any], Any]] = {
    "jax.Array + t": lambda t: jnp.asarray(ONES) + t,
    "ndarray + t": lambda t: ONES + t,
    "t + ndarray": lambda t: t + ONES,
    "ndarray @ t": lambda t: ONES @ t,
    "ndarray < t": lambda t: t > ONES,
    "ndarray += t": lambda t: operator.iadd(ONES, t),
    "scalar * t": lambda t: np.float32(2) * t + np.int64(3),
    "abs": abs,
    "divmod": lambda t: divmod(t, 2),
    "pow": lambda t: pow(t, 2),
    "round": lambda t: (round(t[0, 0], 1), round(t[0, 0])),
    "len": len,
    "copy": lambda t: (copy.copy(t), copy.deepcopy([t])),
    "tree": lambda t: (len(jax.tree.leaves([t, {"a": t}])), jax.tree.map(lambda x: x + 1, {"a": t})),
    "eval_shape": lambda t: str(jax.eval_shape(lambda x: x * x, t)),
    "make_jaxpr": lambda t: str(jax.make_jaxpr(lambda x: x * x)(t)),
    "typeof": lambda t: jax.typeof(t).str_short(),
    "result_type": lambda t: (jnp.result_type(t, 1.0), jnp.issubdtype(t.dtype, jnp.floating)),
    "shape": lambda t: (jnp.shape(t), np.shape(t), jnp.ndim(t), np.size(t), t.nbytes, t.itemsize),
    "== None": lambda t: (t == None, t != None, t == "a"),  # noqa: E711 - that is the test
    "+ list": lambda t: operator.add(t, [1, 2]),
    "list *": lambda t: [1] * t.astype(int)[1, 0],
    "tuple +": lambda t: operator.add((1, 2), t),
    "+ None": lambda t: t + None,
    "+ str": lambda t: t + "a",
    "item assignment": lambda t: operator.setitem(t, 0, 1),
    "hash": hash,
    "no such attribute": lambda t: t.nonexistent,
}


def reads_of(fn: Callable[[Any], Any]) -> tuple[Any, Exception | None, list[Read]]:
    """What a function makes of a pending tensor, and the reads."""
    sink = ListSink()
    t = x10.tensor(ARRAY) * 1
    EVENTS.add(sink)
    try:
        result, error = outcome(fn, t)
    finally:
        EVENTS.remove(sink)
    return result, error, [e for e in sink.events if isinstance(e, Read)]


@pytest.mark.parametrize("name", READING)
def test_a_tensor_is_read_where_an_array_is_wanted(name):
    fn = READING[name]
    expected, refusal = outcome(fn, ARRAY)
    result, error, reads = reads_of(fn)
    assert not refusal_difference(error, refusal)
    assert plainly(result) == plainly(expected) and reads


def test_a_read_is_recorded_with_its_line():
    lines = []
    for call in (lambda t: jnp.sin(t), lambda t: jax.jit(jnp.sin)(t), lambda t: np.sin(t), lambda t: f"{t}"):
        _, _, reads = reads_of(call)
        lines += [(e.site.line, e.how) for e in reads if e.site and e.site.file == __file__]
    here = test_a_read_is_recorded_with_its_line.__code__.co_firstlineno + 2
    assert lines == [(here, "jax"), (here, "jax"), (here, "numpy"), (here, "print")]


@pytest.mark.parametrize("name", WITHOUT_A_READ)
def test_a_tensor_stays_pending_where_its_type_is_enough(name):
    fn = WITHOUT_A_READ[name]
    expected, refusal = outcome(fn, ARRAY)
    result, error, reads = reads_of(fn)
    assert not refusal_difference(error, refusal) and not reads
    assert plainly(result) == plainly(expected)


def test_a_tensor_has_the_array_api():
    t = x10.tensor(ARRAY)
    assert t.__array_namespace__() is x10.numpy and array_api_compat.array_namespace(t, t) is x10.numpy
    assert np.array_equal(array_api_compat.array_namespace(t).sum(t), 6.5)
