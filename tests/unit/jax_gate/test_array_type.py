"""Every kind of function of JAX takes instances of a registered class, and says the same as for arrays."""

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
import pytest
from jax import lax

X = jnp.arange(6.0).reshape(2, 3)
ROW = jnp.ones(3)
KEY = jax.random.key(0)
RAW_KEY = jax.random.PRNGKey(0)


@jax.custom_jvp
def own_jvp(x):
    return jnp.sin(x)


own_jvp.defjvp(lambda primals, tangents: (own_jvp(primals[0]), tangents[0] * 2))


@jax.custom_vjp
def own_vjp(x):
    return jnp.sin(x)


own_vjp.defvjp(lambda x: (own_vjp(x), x), lambda x, cotangent: (cotangent * x,))


def squares(x):
    return (x**2).sum()


def closed_over(transformed, value, *args):
    """A transformed function that takes the value from the enclosing scope."""
    return transformed(lambda x: jnp.sin(value) * x)(*args)


NUMPY = {
    "sin": lambda w: jnp.sin(w(X)),
    "add": lambda w: jnp.add(w(X), X),
    "add on the right": lambda w: jnp.add(X, w(X)),
    "stack": lambda w: jnp.stack([w(X), w(X)]),
    "stack one": lambda w: jnp.stack(w(X)),
    "concatenate": lambda w: jnp.concatenate([w(X), X]),
    "where": lambda w: jnp.where(w(X > 1), w(X), 0.0),
    "asarray": lambda w: jnp.asarray(w(X)),
    "array": lambda w: jnp.array(w(X)),
    "array with dtype": lambda w: jnp.array(w(X), dtype="int32"),
    "array of scalars": lambda w: jnp.array([w(jnp.float32(1)), 2.0]),
    "array of nested lists": lambda w: jnp.array([[w(ROW)], (w(ROW),)]),
    "array of a weak scalar": lambda w: jnp.asarray(w(jnp.asarray(2.0))),
    "array of a key": lambda w: jnp.asarray(w(KEY)),
    "array of bfloat16": lambda w: jnp.asarray(w(X.astype("bfloat16"))),
    "sum where": lambda w: jnp.sum(w(X), where=w(X > 1)),
    "reshape": lambda w: jnp.reshape(w(X), (3, 2)),
    "full": lambda w: jnp.full((2,), w(jnp.float32(3))),
    "zeros_like": lambda w: jnp.zeros_like(w(X)),
    "arange": lambda w: jnp.arange(w(jnp.int32(3))),
    "linspace": lambda w: jnp.linspace(w(jnp.float32(0)), w(jnp.float32(1)), 3),
    "take": lambda w: jnp.take(X, w(jnp.array([0]))),
    "nonzero": lambda w: jnp.nonzero(w(X)),
    "unique": lambda w: jnp.unique(w(X)),
    "repeat": lambda w: jnp.repeat(X, w(jnp.array([1, 2])), axis=0),
    "repeat count": lambda w: jnp.repeat(X, w(jnp.int32(2)), axis=0),
    "clip": lambda w: jnp.clip(w(X), w(jnp.float32(1)), w(jnp.float32(2))),
    "allclose": lambda w: jnp.allclose(w(X), w(X)),
    "broadcast_arrays": lambda w: jnp.broadcast_arrays(w(X), w(jnp.float32(1))),
    "meshgrid": lambda w: jnp.meshgrid(w(ROW), w(ROW)),
    "select": lambda w: jnp.select([w(X > 1)], [w(X)], w(jnp.float32(0))),
    "piecewise": lambda w: jnp.piecewise(w(X), [w(X > 1)], [lambda x: x * 2, 0.0]),
    "interp": lambda w: jnp.interp(w(jnp.float32(0.5)), w(jnp.arange(3.0)), w(jnp.arange(3.0))),
    "histogram": lambda w: jnp.histogram(w(X)),
    "vectorize": lambda w: jnp.vectorize(lambda x: x * 2)(w(X)),
    "ix_": lambda w: jnp.ix_(w(jnp.array([0, 1])), w(jnp.array([1]))),
    "block": lambda w: jnp.block([[w(X), w(X)]]),
    "insert": lambda w: jnp.insert(w(X), 0, w(jnp.float32(9))),
    "delete": lambda w: jnp.delete(w(X), w(jnp.int32(0)), axis=0),
    "astype": lambda w: jnp.astype(w(X), "int32"),
    "searchsorted": lambda w: jnp.searchsorted(w(jnp.arange(3.0)), w(jnp.float32(1))),
    "ufunc at": lambda w: jnp.add.at(X, w(jnp.int32(0)), w(ROW), inplace=False),
    "ufunc outer": lambda w: jnp.add.outer(w(X), w(X)),
    "einsum": lambda w: jnp.einsum("ij,kj->ik", w(X), w(X)),
    "matmul": lambda w: jnp.matmul(w(X), w(X.T)),
    "norm": lambda w: jnp.linalg.norm(w(X)),
    "solve": lambda w: jnp.linalg.solve(w(jnp.eye(3)), w(ROW)),
    "svd": lambda w: jnp.linalg.svd(w(X)),
    "fft": lambda w: jnp.fft.fft(w(X)),
    "relu": lambda w: jax.nn.relu(w(X)),
    "softmax": lambda w: jax.nn.softmax(w(X)),
    "gelu": lambda w: jax.nn.gelu(w(X)),
    "one_hot": lambda w: jax.nn.one_hot(w(jnp.array([0, 1])), 3),
    "logsumexp": lambda w: jax.scipy.special.logsumexp(w(X)),
    "segment_sum": lambda w: jax.ops.segment_sum(w(X), w(jnp.array([0, 0])), 2),
    "weak type": lambda w: jnp.multiply(w(jnp.asarray(2.0)), jnp.ones(2, "float16")),
    "strong type": lambda w: jnp.multiply(w(jnp.float32(2)), jnp.ones(2, "float16")),
    "result_type": lambda w: jnp.zeros((), jnp.result_type(w(jnp.asarray(2.0)), jnp.float16)),
    "method": lambda w: X.dot(w(X.T)),
    "method's keyword": lambda w: X.sum(where=w(X > 1)),
}
TRANSFORMATIONS = {
    "jit": lambda w: jax.jit(lambda x: x * 2)(w(X)),
    "jit of a nested dict": lambda w: jax.jit(lambda tree: tree["a"]["b"][0] * 2)({"a": {"b": [w(X)]}}),
    "jit with keyword": lambda w: jax.jit(lambda *, x: x * 2)(x=w(X)),
    "jit with static": lambda w: jax.jit(lambda x, n: x * n, static_argnums=1)(w(X), 3),
    "jit of a weak scalar": lambda w: jax.jit(lambda x: x * jnp.ones(2, "float16"))(w(jnp.asarray(2.0))),
    "jit of a key": lambda w: jax.jit(lambda key: jax.random.normal(key, (3,)))(w(KEY)),
    "jit closing over": lambda w: closed_over(jax.jit, w(X), X),
    "jit closing over a key": lambda w: (lambda key: jax.jit(lambda x: x + jax.random.normal(key, (3,)))(X))(w(KEY)),
    "jit handing through": lambda w: (lambda value: jax.jit(lambda x: (x, value))(X))(w(X)),
    "jit with an array on the left": lambda w: (lambda value: jax.jit(lambda x: x * value)(X))(w(X)),
    "jit, donating": lambda w: jax.jit(lambda x: x * 2, donate_argnums=0)(w(jnp.ones(3) * 2)),
    "jit, disabled": lambda w: jit_disabled(w(X)),
    "grad": lambda w: jax.grad(squares)(w(X)),
    "grad of a dict": lambda w: jax.grad(lambda tree: squares(tree["a"]))({"a": w(X)}),
    "grad of two": lambda w: jax.grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(w(X), w(X + 1)),
    "grad of jit": lambda w: jax.grad(jax.jit(squares))(w(X)),
    "grad closing over": lambda w: (lambda value: jax.grad(lambda x: (x * value).sum())(X))(w(X)),
    "value_and_grad": lambda w: jax.value_and_grad(squares)(w(X)),
    "hessian": lambda w: jax.hessian(squares)(w(ROW)),
    "jvp": lambda w: jax.jvp(jnp.sin, (w(X),), (w(X),)),
    "vjp": lambda w: jax.vjp(jnp.sin, w(X))[1](w(X)),
    "linearize": lambda w: jax.linearize(jnp.sin, w(X))[1](w(X)),
    "checkpoint": lambda w: jax.checkpoint(jnp.sin)(w(X)),
    "custom_jvp": lambda w: jax.grad(lambda x: own_jvp(x).sum())(w(X)),
    "custom_vjp": lambda w: jax.grad(lambda x: own_vjp(x).sum())(w(X)),
    "vmap": lambda w: jax.vmap(jnp.sum)(w(X)),
    "vmap with None": lambda w: jax.vmap(jnp.add, in_axes=(0, None))(w(X), w(jnp.float32(2))),
    "vmap of keys": lambda w: jax.vmap(lambda key: jax.random.normal(key, (3,)))(w(jax.random.split(KEY))),
    "vmap closing over": lambda w: closed_over(jax.vmap, w(ROW), X),
    "ahead of time": lambda w: jax.jit(jnp.sin).lower(w(X)).compile()(w(X)),
    "tree.map": lambda w: jax.tree.map(jnp.sin, {"a": w(X)}),
    "device_put": lambda w: jax.device_put({"a": w(X)}),
    "device_put on a device": lambda w: jax.device_put(w(X), jax.devices()[0]),
    "device_get": lambda w: jax.device_get(w(X)),
    "pure_callback": lambda w: jax.pure_callback(lambda x: np.asarray(x) * 2, jax.typeof(X), w(X)),
    "stop_gradient": lambda w: lax.stop_gradient(w(X)),
}
LAX = {
    "add": lambda w: lax.add(w(X), w(X)),
    "dot": lambda w: lax.dot(w(X), w(X.T)),
    "convert": lambda w: lax.convert_element_type(w(X), "int32"),
    "select": lambda w: lax.select(w(X > 1), w(X), w(X)),
    "dynamic_slice": lambda w: lax.dynamic_slice(w(X), (w(jnp.int32(0)), w(jnp.int32(1))), (1, 2)),
    "scan": lambda w: lax.scan(lambda carry, row: (carry + row, row), w(jnp.zeros(3)), w(X)),
    "scan of a dict": lambda w: lax.scan(lambda carry, row: ({"sum": carry["sum"] + row}, None), {"sum": w(jnp.zeros(3))}, w(X)),
    "scan closing over": lambda w: (lambda value: lax.scan(lambda carry, row: (carry + value, row), jnp.zeros(3), X))(w(ROW)),
    "cond": lambda w: lax.cond(w(jnp.bool_(1)), lambda x: x * 2, lambda x: x, w(X)),
    "switch": lambda w: lax.switch(w(jnp.int32(1)), [lambda x: x * 2, lambda x: x], w(X)),
    "while_loop": lambda w: lax.while_loop(lambda n: n < 5, lambda n: n + 1, w(jnp.int32(0))),
    "fori_loop": lambda w: lax.fori_loop(0, w(jnp.int32(3)), lambda _, total: total + 1.0, w(jnp.float32(0))),
    "map": lambda w: lax.map(lambda row: row * 2, w(X)),
    "top_k": lambda w: lax.top_k(w(X), 1),
    "associative_scan": lambda w: lax.associative_scan(jnp.add, w(X)),
}
INDEXING = {
    "number": lambda w: X[w(jnp.int32(1))],
    "numbers": lambda w: X[w(jnp.int32(0)), w(jnp.int32(1))],
    "array": lambda w: X[w(jnp.array([0, 1]))],
    "array behind a slice": lambda w: X[:, w(jnp.array([0, 1]))],
    "mask": lambda w: X[w(X > 1)],
    "ends of a slice": lambda w: X[w(jnp.int32(0)) : w(jnp.int32(1))],
    "in jit": lambda w: (lambda index: jax.jit(lambda x: x[index])(X))(w(jnp.int32(1))),
    "at set": lambda w: X.at[w(jnp.int32(1))].set(0.0),
    "at set a value": lambda w: X.at[0].set(w(ROW)),
    "at add": lambda w: X.at[0].add(w(ROW)),
    "at a mask": lambda w: X.at[w(X > 1)].set(w(jnp.float32(0))),
    "at get": lambda w: X.at[w(jnp.int32(1))].get(),
    "at multiply": lambda w: X.at[w(jnp.array([0, 1]))].multiply(w(jnp.float32(2))),
}
RANDOM = {
    "key": lambda w: jax.random.normal(w(KEY), (3,)),
    "raw key": lambda w: jax.random.normal(w(RAW_KEY), (3,)),
    "split": lambda w: jax.random.split(w(KEY)),
    "split a raw key": lambda w: jax.random.split(w(RAW_KEY), 3),
    "fold_in": lambda w: jax.random.fold_in(w(KEY), w(jnp.int32(3))),
    "seed": lambda w: jax.random.key(w(jnp.int32(3))),
    "bernoulli": lambda w: jax.random.bernoulli(KEY, w(jnp.float32(0.5)), (3,)),
    "permutation": lambda w: jax.random.permutation(w(KEY), w(X)),
    "categorical": lambda w: jax.random.categorical(w(KEY), w(X)),
    "uniform": lambda w: jax.random.uniform(KEY, (2,), minval=w(jnp.float32(0)), maxval=w(jnp.float32(2))),
    "key_data": lambda w: jax.random.key_data(w(KEY)),
    "wrap_key_data": lambda w: jax.random.wrap_key_data(w(RAW_KEY)),
    "initialiser": lambda w: jax.nn.initializers.normal()(w(KEY), (2,)),
}
CASES = {
    f"{group}: {name}": case
    for group, cases in (("numpy", NUMPY), ("jax", TRANSFORMATIONS), ("lax", LAX), ("index", INDEXING), ("random", RANDOM))
    for name, case in cases.items()
}


def jit_disabled(value):
    with jax.disable_jit():
        return jax.jit(jnp.sin)(value)


def plain(leaf):
    """What can be compared of a result."""
    leaf = getattr(leaf, "array", leaf)
    weak_type = getattr(leaf, "weak_type", False)
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return str(leaf.dtype), weak_type, np.asarray(jax.random.key_data(leaf)).tolist()
    return str(leaf.dtype), weak_type, np.asarray(leaf, "complex64").tolist()


@pytest.mark.parametrize("name", CASES)
def test_says_the_same_as_for_an_array(name, foreign):
    expected = jax.tree.map(plain, CASES[name](lambda array: array))
    assert jax.tree.map(plain, CASES[name](foreign)) == expected


@pytest.mark.parametrize("name", ["numpy: sin", "jax: jit", "lax: add", "index: array", "random: key", "random: raw key"])
def test_is_refused_when_not_registered(name, unknown):
    with pytest.raises((TypeError, IndexError)):
        CASES[name](unknown)
