"""The tape: forward with residuals and backward, from `jax.vjp`."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.autodiff import LEVELS, Tape, derive, fill_call, filled, is_backward, is_seed, is_sum, residual_places
from x10_jupyter.lazy.avals import Aval, aval_of
from x10_jupyter.lazy.context import current
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.op import Call, specialise

F32 = aval_of((2,), np.dtype("float32"))
I32 = aval_of((2,), np.dtype("int32"))


def rule(fn: Any, ins: tuple[Aval, ...], active: tuple[bool, ...]) -> Any:
    return derive(specialise(Call("f", fn, key=fn), ins, current()), active)


def test_forward_and_backward_are_the_functions_and_its_gradient() -> None:
    made = rule(lambda x, y: jnp.sin(x) * y, (F32, F32), (True, True))
    x, y = jnp.array([1.0, 2.0]), jnp.array([3.0, 4.0])
    outs = made.forward.flat(x, y)
    np.testing.assert_allclose(outs[0], np.sin(x) * y, rtol=1e-6)
    residuals = [outs[i] if i >= 0 else (x, y)[-1 - i] for i in made.residuals]
    by_x, by_y = made.backward.flat(*residuals, jnp.ones(2))
    np.testing.assert_allclose(by_x, np.cos(x) * y, rtol=1e-6)
    np.testing.assert_allclose(by_y, np.sin(x), rtol=1e-6)


def test_a_residual_that_is_there_is_not_made_again() -> None:
    assert rule(lambda x, y: x * y, (F32, F32), (True, True)).residuals.count(-1) == 1
    made = rule(lambda x: jnp.exp(x), (F32,), (True,))
    assert made.residuals == [0], "the result itself"
    assert len(made.forward.flat(jnp.ones(2))) == 1


def test_residual_places() -> None:
    def forward(x: Any, y: Any) -> Any:
        s = x + y
        return s, x, s, y * 2, y * 2

    jaxpr = jax.make_jaxpr(forward)(1.0, 2.0).jaxpr
    assert residual_places(jaxpr, 2, 1) == ([-1, 0, 1, 2], [0, 3, 4])


def test_only_smooth_results_have_gradients() -> None:
    assert rule(lambda x, i: (x * 2, i + 1), (F32, I32), (True, False)).smooth == [0]


def test_a_node_of_an_earlier_tape_belongs_to_no_level() -> None:
    tape = Tape()
    t = x10.tensor(1.0)
    t.node = tape.node(1)
    assert tape.levels(t) == 0, "its level is not open"
    tape.open = 1
    assert tape.levels(t) == 1
    later = Tape()
    later.open = 1
    assert later.levels(t) == 0
    assert t.node & ((1 << LEVELS) - 1) == 1


@pytest.mark.parametrize("number", [0, 1])
def test_filled(trace: Trace, number: int) -> None:
    made = filled(trace, F32, number)
    assert repr(made) == "Tensor(f32[2], pending, 1 op)"
    assert np.asarray(made).tolist() == [number] * 2
    assert fill_call((2,), np.dtype("float32"), number) is fill_call((2,), np.dtype("float32"), number)


def test_what_a_gradient_records_besides_the_function_is_known_by_its_calls() -> None:
    x = x10.tensor(np.ones(3, np.float32))
    x10.barrier()
    trace = LOCAL.trace
    kept = x10.grad(lambda w: x10.numpy.sum(x10.numpy.sin(w) * w))(x)
    calls: list[Call] = []
    state = trace.state
    while state.parent is not None:
        calls += [state.op.call] if state.op is not None else []
        state = state.parent
    assert [sum(map(is_one, calls)) for is_one in (is_seed, is_backward, is_sum)] == [1, 3, 1]
    assert not any(map(is_seed, (fill_call((3,), jnp.float32, 0), *[call for call in calls if call.rule])))
    del kept
