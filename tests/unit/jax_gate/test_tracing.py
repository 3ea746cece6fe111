"""Tracers, and the errors that ask for values."""

import threading

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.jax_gate.tracing import FILTERING, cheap_errors, is_concretization_error, is_leaked, is_tracer, mapped_axis, trace_state_clean

X = jnp.ones(3)


def scanned(f):
    return lambda x: jax.lax.scan(lambda carry, row: (carry, f(row)), 0.0, jnp.stack([x, x]))[1].sum()


def traced_aside(f):
    return lambda x: (jax.make_jaxpr(f)(x), x.sum())[1]


TRANSFORMATIONS = {
    "jit": jax.jit,
    "grad": jax.grad,
    "vmap": lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x])).sum(),
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (x,))[0],
    "linearize": lambda f: lambda x: jax.linearize(f, x)[0],
    "checkpoint": jax.checkpoint,
    "scan": scanned,
    "cond": lambda f: lambda x: jax.lax.cond(x.sum() > 0, f, lambda _: 0.0, x),
    "make_jaxpr": traced_aside,
}


@pytest.mark.parametrize("inner", TRANSFORMATIONS)
@pytest.mark.parametrize("outer", TRANSFORMATIONS)
def test_a_tracer_is_leaked_once_its_function_has_returned(outer, inner):
    seen, alive = [], []

    def innermost(y, x):
        alive.extend([is_leaked(x), is_leaked(y)])
        alive.append(trace_state_clean())
        seen.append(y)
        return (y * x).sum()

    def function(x):
        seen.append(x)
        result = TRANSFORMATIONS[inner](lambda y: innermost(y, x))(x).sum()
        alive.append(is_leaked(x))
        return result

    assert trace_state_clean()
    TRANSFORMATIONS[outer](function)(X)
    assert trace_state_clean()
    assert alive and not any(alive)
    assert len(seen) >= 2 and all(map(is_tracer, seen)) and all(map(is_leaked, seen))
    for tracer in seen:
        with pytest.raises(jax.errors.UnexpectedTracerError):
            jnp.sin(tracer)


def test_a_leaked_tracer_is_told_inside_another_function():
    kept = []
    jax.jit(lambda x: kept.append(x) or x)(X)
    assert jax.jit(lambda x: jnp.asarray(is_leaked(kept[0]) and not is_leaked(x)))(X)


def test_a_tracer_is_not_leaked_while_constants_are_made():
    def function(x):
        with jax.ensure_compile_time_eval():
            assert not is_leaked(x)
        return x

    jax.jit(function)(X)


def test_a_tracer_of_another_thread_is_of_no_use_here():
    told = []

    def function(x):
        worker = threading.Thread(target=lambda: told.extend([is_leaked(x), trace_state_clean()]))
        worker.start()
        worker.join()
        return x

    jax.jit(function)(X)
    assert told == [True, True]


@pytest.mark.parametrize("value", [X, 1.0, None, jax.ShapeDtypeStruct((), "float32")])
def test_what_is_no_tracer_is_not_leaked(value):
    assert not is_tracer(value) and not is_leaked(value)


@pytest.mark.parametrize(
    "needy",
    [
        lambda x: bool(x[0]),
        lambda x: float(x[0]),
        lambda x: range(x[0].astype(int)),
        lambda x: x.tolist(),
        lambda x: jnp.nonzero(x),
        lambda x: jnp.unique(x),
        lambda x: x[x > 0],
        lambda x: jnp.repeat(x, x.astype(int)),
        lambda x: jnp.arange(x[0]),
        lambda x: __import__("numpy").asarray(x),
    ],
)
def test_errors_that_ask_for_values(needy):
    with pytest.raises(Exception) as raised:
        jax.make_jaxpr(needy)(X)
    assert is_concretization_error(raised.value)


@pytest.mark.parametrize("wrong", [lambda x: x @ jnp.ones(4), lambda x: x.no_such_thing, lambda x: jnp.reshape(x, 4), lambda x: x[None, None, 5, 5]])
def test_other_errors_do_not(wrong):
    with pytest.raises(Exception) as raised:
        jax.make_jaxpr(wrong)(X)
    assert not is_concretization_error(raised.value)


def test_the_axis_that_an_array_is_mapped_along() -> None:
    found: list[int | None] = []
    jax.vmap(lambda a: (found.append(mapped_axis(a)), a)[1], in_axes=1)(jnp.ones((2, 3)))
    jax.jit(lambda a: (found.append(mapped_axis(a)), a)[1])(1.0)
    assert found == [1, None]


def test_errors_are_cheap_within_and_as_before_after_it() -> None:
    before = FILTERING.value
    with cheap_errors():
        assert FILTERING.value == "off"
        with pytest.raises(TypeError):
            jax.make_jaxpr(jnp.reshape)(X, 1.5)
    assert FILTERING.value == before
