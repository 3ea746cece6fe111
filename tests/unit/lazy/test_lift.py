"""`lazy(fn)`: one operation for any pure function, whatever it takes and returns; what leaks from it is named."""

import copy
import threading
from itertools import count
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import x10_jupyter as x10
from runtime import compiles, listening, run_cell
from x10_jupyter.base.errors import LeakedValueError, OperandError
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.lift import Lazy, as_tensors, lazy
from x10_jupyter.records.runtime_events import Compiled, Cut, FellBack, Retraced, Transferred


def ones(*shape: int) -> x10.Tensor:
    return x10.tensor(np.ones(shape, np.float32))


def test_a_call_is_one_operation(trace: Trace) -> None:
    y = lazy(lambda x: jnp.tanh(x @ x) + 1)(ones(2, 2))
    assert repr(y) == "Tensor(f32[2,2], pending, 1 op)"
    np.testing.assert_allclose(np.asarray(y), np.tanh(2 * np.ones((2, 2))) + 1, rtol=1e-6)
    assert trace.state.parent is None


def test_any_structure_goes_in_and_comes_out() -> None:
    def f(x: Any, *rest: Any, scale: Any = 1.0, **more: Any) -> Any:
        return {"sum": x["a"] + rest[0], "shape": x["a"].shape, "none": None, "more": (more["k"], scale, "text")}

    result = lazy(f)({"a": ones(2)}, ones(2), scale=2.5, k=[ones(1)])
    assert (result["shape"], result["none"], result["more"][2]) == ((2,), None, "text")
    assert np.asarray(result["sum"]).tolist() == [2, 2]
    assert float(result["more"][1]) == 2.5
    assert isinstance(result["more"][0][0], x10.Tensor)


def test_a_closures_tensor_is_an_input() -> None:
    def run(value: float) -> Any:
        w = x10.tensor(np.array([value], np.float32))
        return np.asarray(lazy(lambda x: x * w)(ones(1))).tolist()

    assert len(compiles(lambda: run(2.0))) == 1
    assert compiles(lambda: run(3.0)) == [], "another value is no other program"
    assert run(4.0) == [4]


def test_a_pending_tensor_may_be_in_a_closure() -> None:
    w = ones(2) * 3
    assert np.asarray(lazy(lambda x: x * w)(ones(2))).tolist() == [3, 3]


def test_a_refusal_stands_at_the_users_line_and_nothing_is_left_behind(trace: Trace) -> None:
    names: dict[str, Any] = {"x10": x10, "a": ones(2, 3), "b": ones(4)}
    before = trace.state
    with pytest.raises(OperandError, match=r"^`f` refuses these operands: .*; got f\(f32\[2,3\], f32\[4\]\) at <cell \d+>:4\.$"):
        run_cell("@x10.lazy\ndef f(x, y): return x + y\n\nz = f(a, b)\n", names)
    assert trace.state is before


def test_an_error_of_the_functions_own_stays_what_it_is() -> None:
    def f(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        lazy(f)(ones(2))
    assert any("f(f32[2]) at test_lift.py:" in note for note in caught.value.__notes__)


COUNT = count()


def leaked() -> Any:
    """A value from inside a function that has ended: kept in a global, since what is kept in an object or a list stays in the traced copy."""
    names: dict[str, Any] = {}
    # another number each time, since a function that is known is not traced again
    run_cell(f"def f(x):\n    global kept\n    kept = x * {next(COUNT)}\n    return x\n", names)
    x10.lazy(names["f"])(ones())
    return names["kept"]


@pytest.mark.parametrize(
    "use",
    [
        lambda k: ones() + k, lambda k: k * ones(), lambda k: x10.numpy.sin(k), lambda k: lazy(lambda x: x)(k), lambda k: lazy(lambda x: x + k)(ones()),
        lambda k: lazy(lambda x, o: x)(ones(), {"k": [k]}), lambda k: x10.tensor(k), lambda k: x10.tensor([k, k]), lambda k: x10.numpy.stack([ones(), k]),
        lambda k: x10.grad(lambda w: w * k)(ones()),
    ],
    ids=["operator", "reflected", "function", "lazy", "closure", "nested", "tensor", "list", "stack", "gradient"],
)  # fmt: skip
def test_a_leaked_value_is_named(use: Any) -> None:
    with pytest.raises(LeakedValueError, match=r"from inside a traced function that has ended; got at test_lift.py:\d+\. Return it from the function"):
        use(leaked())


def test_what_a_function_leaves_on_self_stays_in_the_copy() -> None:
    class Layer:
        def __init__(self) -> None:
            self.last: Any = None

        def __call__(self, x: Any) -> Any:
            self.last = x * 2
            return self.last

    layer = Layer()
    lazy(layer)(ones(2)).data  # noqa: B018
    assert layer.last is None


def test_under_jax_it_is_the_function_itself() -> None:
    f = lazy(lambda x: x * x)
    assert jax.grad(f)(3.0) == 6
    assert jax.vmap(f)(jnp.arange(3.0)).tolist() == [0, 1, 4]
    assert lazy(lambda x: f(x) + 1)(ones(1)).shape == (1,)


def test_lazy_functions_are_called_and_shown_as_the_function() -> None:
    def scaled(x: Any) -> Any:
        """Twice."""
        return x * 2

    f = lazy(scaled)
    assert (f.__name__, f.__doc__, repr(f)) == ("scaled", "Twice.", "<lazy scaled>")
    assert lazy(f) is f
    assert f.__wrapped__ is scaled


def test_a_lazy_method_gets_its_object() -> None:
    class Model:
        def __init__(self, k: float) -> None:
            self.k = k

        @lazy
        def run(self, x: Any) -> Any:
            return x * self.k

    assert isinstance(Model.run, Lazy)
    assert [float(Model(k).run(ones())) for k in (2.0, 3.0)] == [2, 3]
    assert compiles(lambda: float(Model(4.0).run(ones()))) == []


def test_what_cannot_be_seen_into_is_reported_with_its_line() -> None:
    names: dict[str, Any] = {"x10": x10, "x": ones(2), "rng": np.random.default_rng(0)}
    with listening() as events:
        run_cell("f = x10.lazy(lambda x: x * (rng is not None))\n\ny = f(x)\n", names)
    [event] = [e for e in events if isinstance(e, Retraced)]
    assert (event.op, event.reads, event.site and event.site.line) == ("<lambda>", "Generator", 3)


def test_it_falls_back_once_it_needs_values() -> None:
    @lazy
    def f(x: Any) -> Any:
        return x * 2 if x.sum() > 3 else x

    with listening() as events:
        assert np.asarray(f(ones(4))).tolist() == [2] * 4
        assert np.asarray(f(ones(2))).tolist() == [1] * 2
    assert [e.op for e in events if isinstance(e, FellBack)] == ["f", "f"]


def test_many_numbers_without_a_tensor_are_data() -> None:
    with listening() as events:
        made = x10.numpy.array(list(range(100)))
    assert np.asarray(made).tolist() == list(range(100))
    assert not [e for e in events if isinstance(e, Cut)]


def test_results_of_jax_become_tensors() -> None:
    made = as_tensors({"a": jnp.ones(2), "b": 3})
    assert isinstance(made["a"], x10.Tensor)
    assert made["b"] == 3


def test_optax_and_equinox_are_one_operation_each() -> None:
    weights = {"w": ones(3), "b": ones()}
    optimiser = optax.adam(0.1)
    state = lazy(optimiser.init)(weights)
    updates, _ = lazy(optimiser.update)(weights, state, weights)
    plain = {"w": jnp.ones(3), "b": jnp.ones(())}
    wanted: Any = jax.jit(optimiser.update)(plain, optimiser.init(plain), plain)[0]
    # the numbers of a library's function are constants: 1 - 0.999 is not rounded to float32 before it is used
    np.testing.assert_allclose(np.asarray(updates["w"]), wanted["w"], rtol=1e-6)
    net = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    np.testing.assert_allclose(np.asarray(lazy(net)(ones(3))), net(jnp.ones(3)), rtol=1e-6)


@pytest.mark.parametrize("batched", [jax.vmap, eqx.filter_vmap, lambda net: jax.vmap(jax.jit(net))], ids=["vmap", "filter_vmap", "vmap of jit"])
def test_a_batched_module_made_anew_is_a_known_operation(batched: Any) -> None:
    """`jax.vmap` keeps a bare `object()` as a mark, and Equinox wraps modules in modules: both once were traced again at each call."""
    made = eqx.nn.MLP(3, 2, width_size=4, depth=1, key=jax.random.key(0))
    weights, rest = eqx.partition(made, eqx.is_array)
    x = np.linspace(0, 1, 15, dtype=np.float32).reshape(5, 3)
    tensors = jax.tree.map(x10.tensor, weights)

    def run() -> None:
        for _ in range(3):
            found = lazy(batched(eqx.combine(tensors, rest)))(x10.tensor(x))
            x10.barrier()
            np.testing.assert_allclose(np.asarray(found), jax.vmap(made)(jnp.asarray(x)), rtol=1e-5)

    with listening() as events:
        run()
    assert [event for event in events if isinstance(event, Retraced)] == []
    assert len([event for event in events if isinstance(event, Compiled)]) == 1


def test_threads_share_a_lazy_function() -> None:
    f = lazy(lambda x: x + 1)
    found: list[float] = []
    threads = [threading.Thread(target=lambda i=i: found.append(float(f(x10.tensor(float(i)))))) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(found) == [1, 2, 3, 4]


def test_a_deep_copy_works_like_the_original() -> None:
    f = copy.deepcopy(lazy(lambda x: x + 1))
    assert float(f(ones())) == 2


def test_an_array_is_brought_to_the_device_once_though_a_new_call_is_looked_at_twice() -> None:
    xp, x, data = x10.numpy, x10.tensor(np.ones((4, 4), np.float32)), np.ones((4, 4), np.float32)
    for call in (
        lambda: xp.subtract(x, data),
        lambda: x * data,
        lambda: xp.clip(x, 0.5, data),
        lambda: x10.lazy(lambda p, q: p * q["w"] * q["s"])(x, {"w": data, "s": 2.0}),
    ):
        with listening() as events:
            kept = call(), call()
        assert len([e for e in events if isinstance(e, Transferred)]) == 2
        del kept
