"""Operations that static shapes cannot express run at once, and are recorded with their line."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening, run_cell
from x10_jupyter.base.errors import OperandError
from x10_jupyter.lazy.fallback import tensor_maker
from x10_jupyter.lazy.op import Call
from x10_jupyter.records.runtime_events import Cut, FellBack

xnp = x10.numpy
X = np.array([3, 0, 1, 3], np.float32)

CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "nonzero": lambda np_, x: np_.nonzero(x)[0],
    "unique": lambda np_, x: np_.unique(x),
    "mask": lambda np_, x: x[x > 0],
    "repeat": lambda np_, x: np_.repeat(x, x.astype(int)),
    "where": lambda np_, x: np_.where(x > 1)[0],
    "arange": lambda np_, x: np_.arange(x[0]),
    "method": lambda np_, x: x.nonzero()[0],
    "branch": lambda np_, x: x10.lazy(lambda v: v * 2 if v.sum() > 1 else v)(x) if np_ is xnp else x * 2,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_the_value_is_jaxs(call: Callable[[Any, Any], Any]) -> None:
    with listening() as events:
        got = call(xnp, x10.tensor(X) * 1.0)
    assert isinstance(got, x10.Tensor)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(call(jnp, jnp.array(X))))
    assert [e.why for e in events if isinstance(e, Cut)] == ["fallback"]
    assert len([e for e in events if isinstance(e, FellBack)]) == 1


def test_a_fallback_tells_its_line() -> None:
    names: dict[str, Any] = {"x10": x10, "x": x10.tensor(X)}
    with listening() as events:
        run_cell("y = x * 2\n\nz = x10.numpy.unique(y)\n", names)
    [event] = [e for e in events if isinstance(e, FellBack)]
    assert (event.op, event.site and event.site.line) == ("unique", 3)
    assert event.reason == "The shape of its result, or what it does, depends on values"


def test_gradients_go_through_a_fallback() -> None:
    def loss(np_: Any, x: Any) -> Any:
        return (x[x > 0] ** 2).sum() + np_.nonzero(x)[0].sum()

    value, slope = x10.value_and_grad(lambda x: loss(xnp, x))(x10.tensor(X))
    assert float(value) == float(loss(jnp, jnp.array(X)))
    assert np.asarray(slope).tolist() == [6, 0, 2, 6]


def test_a_wrong_fallback_names_its_line() -> None:
    with pytest.raises(OperandError, match=r"`repeat` refuses these operands: .*; got repeat\(f32\[4\], i32\[3\]\) at test_fallback.py:\d+"):
        xnp.repeat(x10.tensor(X), x10.tensor(np.array([1, 2, 3])))


def test_only_arrays_become_tensors() -> None:
    as_tensor = tensor_maker(Call("fn", lambda: None, key="fn"), (), [])
    assert isinstance(as_tensor(jax.numpy.ones(2)), x10.Tensor)
    assert as_tensor((2, 3)) == (2, 3)


def test_what_jax_compiles_for_it_is_no_execution() -> None:
    """A mask that selects a number of elements not seen before has programs of its own, and they take nearly all of the time."""
    t = x10.tensor(np.arange(23, dtype=np.float32))
    with x10.capture() as capturing:
        picked = t[t > 4]
    assert picked.shape == (18,)
    [fallback] = [e for e in capturing.capture.events if isinstance(e, FellBack)]
    assert fallback.compiling
    assert all(fallback.start_ns <= start <= end <= fallback.end_ns for start, end in fallback.compiling)
    assert capturing.capture.time["compile"] > capturing.capture.time["execute"]
