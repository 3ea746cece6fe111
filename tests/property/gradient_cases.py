"""What a gradient may look like: each case is called with JAX's words and arrays, and with ours and tensors."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

V = jnp.array([0.5, -0.25, 0.75])
W = jnp.array([1.5, 2.0, -1.0])
M = jnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
S = jnp.float32(0.5)
V16 = V.astype(jnp.bfloat16)
VC = V * (1 + 2j)
INDEX = jnp.array([2, 0, 1])

CASES: dict[str, Callable[..., Any]] = {}


def case(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep a case; the defaults of its arguments are what it is called with."""
    CASES[fn.__name__] = fn
    return fn


@jax.custom_vjp
def twice_backwards_ten_times(x):
    return x * 2


twice_backwards_ten_times.defvjp(lambda x: (x * 2, x), lambda x, g: (g * x * 10,))


@jax.custom_jvp
def twice_forwards_seven_times(x):
    return x * 2


twice_forwards_seven_times.defjvp(lambda primals, tangents: (primals[0] * 2, tangents[0] * 7))


@case
def first_argument(w, x=V):
    return w.value_and_grad(lambda x: (x * x).sum())(x)


@case
def several_arguments(w, x=V, y=W):
    return w.grad(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(x, y), w.grad(lambda x, y: (x * y).sum(), argnums=[1])(x, y)


@case
def last_argument(w, x=V, y=W):
    return w.grad(lambda x, y: (x * x * y).sum(), argnums=-1)(x, y)


@case
def aux(w, x=V):
    return w.value_and_grad(lambda x: ((x * x).sum(), {"a": x + 1, "b": 3, "c": None}), has_aux=True)(x)


@case
def gradient_and_aux(w, x=V):
    return w.grad(lambda x: ((x * x).sum(), (x, 2.5)), has_aux=True)(x)


@case
def pytrees(w, p={"a": V, "b": [W, S], "c": None}):  # noqa: B006 - never changed
    return w.grad(lambda p: (p["a"] * p["b"][0] * p["b"][1]).sum())(p)


@case
def an_unused_part(w, p=(V, M)):
    return w.grad(lambda p: p[0].sum())(p)


@case
def keywords(w, x=V):
    return w.grad(lambda x, *, k, t: (x * k * t).sum())(x, k=3.0, t=x)


@case
def twice(w, x=V):
    return w.grad(lambda x: w.grad(lambda y: (w.numpy.sin(y) * y * x[0]).sum())(x).sum())(x)


@case
def three_times(w, x=S):
    return w.grad(w.grad(w.grad(lambda x: w.numpy.exp(x) * x**3)))(x)


@case
def within_one_another(w, x=S):
    return w.grad(lambda x: x * w.grad(lambda y: x + y)(w.numpy.float32(1.0)))(x), w.grad(lambda x: x * w.grad(lambda y: x * y * y)(x))(x)


@case
def the_tensor_itself_is_no_argument(w, x=V):
    return w.grad(lambda y: (x * y).sum())(x), w.grad(lambda y, z: (y * z).sum())(x, x)


@case
def stopped(w, x=V):
    return w.grad(lambda x: (x * w.lax.stop_gradient(x)).sum())(x)


@case
def custom_vjp(w, x=V):
    return w.grad(lambda x: w.lazy(twice_backwards_ten_times)(x).sum())(x)


@case
def custom_jvp(w, x=V):
    return w.grad(lambda x: w.lazy(twice_forwards_seven_times)(x).sum())(x)


@case
def checkpoint(w, x=V):
    return w.grad(lambda x: w.lazy(jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)).sum()))(x))(x)


@case
def inside_lazy(w, x=V):
    return w.lazy(lambda y: w.grad(lambda z: (z**3).sum())(y))(x)


@case
def lazy_inside(w, x=V):
    return w.grad(lambda x: w.lazy(lambda y: jnp.sin(y).sum())(x) * 2)(x)


@case
def a_closure(w, x=V):
    return w.grad(lambda x: w.lazy(lambda: jnp.sin(x).sum())())(x)


@case
def scan_over_a_closure(w, x=V, y=W):
    return w.grad(lambda x, y: w.lax.scan(lambda c, row: (c * row + y[0], c), 1.0, x)[0], (0, 1))(x, y)


@case
def cond(w, x=V):
    return w.grad(lambda x: w.lax.cond(x[0] > 0, lambda y: y.sum(), lambda y: (y * 2).sum(), x))(x)


@case
def reads_between(w, x=V):
    def loss(x):
        y = w.numpy.sin(x)
        w.look(y)
        z = (y * y).sum()
        w.look(z)
        return z

    return w.value_and_grad(loss)(x)


@case
def iteration(w, x=V):
    return w.grad(lambda x: sum(y * y for y in x) + (lambda a, b, c: a * b * c)(*x))(x)


@case
def indexing(w, x=V, i=INDEX):
    return w.grad(lambda x: (x[i] * x[1] + x.at[i].add(x * x)[::-1]).sum())(x)


@case
def a_known_mask_twice(w, x=V):
    mask = np.array([True, False, True])
    return w.grad(lambda x: w.grad(lambda y: (y[mask] ** 3).sum())(x).sum())(x)


@case
def nan_where_nothing_is_chosen(w, x=V):
    return w.grad(lambda x: w.numpy.where(x > 0, w.numpy.sqrt(x), 0.0).sum())(x)


@case
def ties(w):
    return w.grad(lambda x: x.max())(w.numpy.ones(3))


@case
def half_precision(w, x=V16, y=V):
    return w.grad(lambda x, y: (x * y).sum(), (0, 1))(x, y), w.grad(lambda x: (x.astype("float16") ** 2).sum())(x)


@case
def weak_types(w):
    return w.value_and_grad(lambda x: x**2)(w.numpy.asarray(2.0)), w.grad(lambda x: x**2)(3.0), w.grad(lambda x: x[0] * x[1])([1.0, 2.0])


@case
def numpy_arguments(w):
    return w.grad(lambda x: (x * np.ones(3)).sum())(np.ones(3, np.float32))


@case
def complex_arguments(w, x=VC):
    return w.grad(lambda x: (x * x).real.sum())(x), w.grad(lambda x: w.numpy.abs(w.numpy.fft.fft(x)).sum())(x)


@case
def linear_algebra(w, x=M):
    return w.grad(lambda x: w.numpy.linalg.inv(x).sum() + w.numpy.linalg.slogdet(x)[1])(x)


@case
def sixty_four_bits(w, x=V):
    with jax.enable_x64(True):
        return w.grad(lambda x: (x * 2.5).sum())(x), w.grad(lambda x: (x.astype("float64") ** 2).sum())(x)


@case
def after_an_error(w, x=V):
    with suppress(ZeroDivisionError):
        w.grad(lambda x: (x * x).sum() + 1 / 0)(x)
    return w.grad(lambda x: (x * x).sum())(x), x * 2


@case
def nothing_depends_on_it(w, x=V):
    return w.grad(lambda x: w.numpy.float32(2.0))(x)


@case
def no_scalar(w, x=V):
    return w.grad(lambda x: x)(x)


@case
def one_element(w, x=V):
    return w.grad(lambda x: x[:1])(x)


@case
def a_dict(w, x=V):
    return w.grad(lambda x: {"a": x.sum()})(x)


@case
def a_whole_number(w, x=V):
    return w.grad(lambda x: (x > 0).sum())(x)


@case
def by_whole_numbers(w, x=INDEX):
    return w.grad(lambda x: (x * 2).sum())(x)


@case
def arguments_of_a_custom_rule_that_it_does_not_differentiate_by(w, x=M, y=V):
    def loss(x, y):
        return w.numpy.tanh(w.numpy.linalg.pinv(x, y[0] * 1e-6)).sum()

    def first(x, y):
        return w.grad(loss)(x, y)

    return w.grad(loss, (0, 1))(x, y), w.grad(lambda x, y: w.numpy.tanh(first(x, y)).sum())(x, y)
