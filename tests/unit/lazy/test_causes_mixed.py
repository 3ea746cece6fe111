"""Causes in a session in which unrelated code came before: it shares operations, functions' names and helpers, and must not be blamed."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes, compiles, forget, run_cell

xnp = x10.numpy
A = np.ones((4, 4), np.float32)


def told(run: Callable[[], Any]) -> list[tuple[str, str, str, str]]:
    return [(c.kind, c.where, c.old, c.new) for c in causes(run)]


def test_a_literal_of_other_code_with_the_same_operation_is_none_here() -> None:
    """`one` bakes its -1.0; `two` multiplies by a variable, which is a parameter from the start."""
    forget()
    a = x10.tensor(A)

    def one() -> Any:
        y = xnp.log(a * -1.0)
        x10.barrier()
        return y

    def two(i: int) -> Any:
        z = xnp.cosh(a * float(i))
        x10.barrier()
        return z

    one()
    assert told(lambda: two(0)) == [("first", "", "", "")]
    assert compiles(lambda: two(1)) == []
    np.testing.assert_allclose(np.asarray(two(2)), np.cosh(2.0 * A), rtol=1e-6)


def test_two_losses_are_no_loop() -> None:
    forget()
    a = x10.tensor(A)

    def squares(p: Any) -> Any:
        return xnp.sum(p * p)

    def distances(p: Any) -> Any:
        return xnp.sum(xnp.abs(p))

    def step(loss: Any) -> Any:
        both = x10.value_and_grad(loss)(a)
        x10.barrier()
        return both

    step(squares)
    [(kind, where, old, new)] = told(lambda: step(distances))
    assert (kind, old, new) == ("structure", "mul(f32[4,4], f32[4,4])", "abs(f32[4,4])")
    assert "test_causes_mixed.py" in where


def test_lambdas_are_not_versions_of_each_other() -> None:
    forget()
    a = x10.tensor(A)
    first, second = x10.lazy(lambda d: d["a"] * 2), x10.lazy(lambda x, m: x.sum() if m == "s" else x.max())

    def one() -> Any:
        y = first({"a": a})
        x10.barrier()
        return y

    def two(m: str) -> Any:
        y = second(a, m)
        x10.barrier()
        return y

    one()
    assert told(lambda: two("s")) == [("first", "", "", "")]
    assert told(lambda: two("m")) == [("static_argument", "m", "'s'", "'m'")]


def test_an_edited_helper_is_named_though_another_lambda_runs_often() -> None:
    forget()
    names: dict[str, Any] = {"x10": x10, "jnp": jnp, "a": x10.tensor(A)}
    run_cell("f1 = x10.lazy(lambda x: x * 2.5)\ndef s1():\n    y = f1(a)\n    x10.barrier()\n    return y\n", names)
    for _ in range(5):
        names["s1"]()
    run_cell("def hh(x):\n    return x + 1\nf2 = x10.lazy(lambda x: jnp.sin(x) * hh(x))\ndef s2():\n    y = f2(a)\n    x10.barrier()\n    return y\n", names)
    assert told(names["s2"]) == [("first", "", "", "")]
    run_cell("def hh(x):\n    return x + 5 * x\n", names)
    assert told(names["s2"]) == [("function_rebuilt", "hh", "as it was", "edited")]


@pytest.mark.parametrize(
    ("rate", "kind", "old", "new"),
    [
        (1, "dtype", "f32[]~", "i32[]~"),
        (True, "dtype", "f32[]~", "bool[]"),
        (np.float32(0.1), "weak_type", "f32[]~", "f32[]"),
        (np.ones(4, np.float32), "shape", "f32[]~", "f32[4]"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_the_kind_of_a_number_is_a_dtype(rate: Any, kind: str, old: str, new: str) -> None:
    forget()
    a = x10.tensor(A)

    def step(lr: Any) -> Any:
        y = a * 3.0 - lr * a
        x10.barrier()
        return y

    step(0.1)
    assert told(lambda: step(rate)) == [(kind, "lr", old, new)]


def test_a_tensor_in_place_of_a_number() -> None:
    forget()
    a = x10.tensor(A)

    def step(lr: Any) -> Any:
        y = xnp.exp(a) - lr * a
        x10.barrier()
        return y

    step(0.1)
    assert told(lambda: step(x10.tensor(np.float32(0.1)))) == [("weak_type", "lr", "f32[]~", "f32[]")]


def test_a_read_that_is_put_in_between_is_named_for_both_halves() -> None:
    """The second half begins with an operation that other code began with before."""
    forget()
    a = x10.tensor(A)

    def other() -> Any:
        y = xnp.sin(a * 3.0)
        x10.barrier()
        return y

    def step(early: bool) -> Any:
        y = xnp.sinh(a)
        z = y * 2.0
        if early:
            float(z[0, 0])
        w = z + a * 5.0
        x10.barrier()
        return w

    other()
    step(False)
    found = told(lambda: step(True))
    assert [kind for kind, *_ in found] == ["cut_moved", "cut_moved"]
    assert all("float()" in where for _, where, *_ in found)


def test_an_operand_that_was_recorded_before_has_not_moved_a_cut() -> None:
    forget()
    a = x10.tensor(A)

    def step(s: Any) -> Any:
        y = a * s
        x10.barrier()
        return y

    step(xnp.asarray(2.0))
    assert "cut_moved" not in [kind for kind, *_ in told(lambda: step(x10.tensor(2.0)))]


def test_functions_that_share_a_helper_are_not_versions_of_each_other() -> None:
    forget()
    a = x10.tensor(A)

    def layer(x: Any) -> Any:
        return xnp.tanh(x * 2.0)

    def one() -> Any:
        y = layer(layer(a)).sum()
        x10.barrier()
        return y

    def two() -> Any:
        y = layer(a)[0] * layer(a)
        x10.barrier()
        return y

    one()
    assert told(two) == [("first", "", "", "")]


def test_an_operation_that_other_code_began_with_has_no_line_of_that_code() -> None:
    """`a * 3.0` is known from `other`. Its line and its names there are not those of `step`."""
    forget()
    a = x10.tensor(A)

    def other(theirs: Any) -> Any:
        y = theirs * 3.0
        x10.barrier()
        return y

    def step(is_first: bool) -> Any:
        y = xnp.sin(a).sum() if is_first else (a * 3.0).sum()
        z = xnp.cos(y) + xnp.tan(y)
        x10.barrier()
        return z

    other(a)
    step(True)
    [cause] = causes(lambda: step(False))
    assert (cause.kind, cause.old, cause.new) == ("structure", "sin(f32[4,4])", "mul(f32[4,4])")
    assert cause.site is None
    assert cause.where == "mul"


def raised(x: Any, n: Any) -> Any:
    return (x**n).sum()


def squared_twice(x: Any, n: Any) -> Any:
    return x10.grad(lambda x: x10.grad(raised)(x, n).sum())(x)


ORDERS: list[Callable[[Any, Any], Any]] = [raised, lambda x, n: x10.grad(raised)(x, n), squared_twice]


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (2, 3, ("static_argument", "n", "2", "3")),  # an exponent that is a whole number is part of the program
        (2, 2.0, ("dtype", "n", "i32[]~", "f32[]~")),
        (2.0, 2, ("dtype", "n", "f32[]~", "i32[]~")),
        (2, np.float32(2), ("dtype", "n", "i32[]~", "f32[]")),
        (True, 2, ("dtype", "n", "bool[]", "i32[]~")),
        (2.0, 3.0, None),
    ],
)
def test_an_exponent(order: int, old: Any, new: Any, expected: Any) -> None:
    forget()

    def step(n: Any) -> Any:
        y = ORDERS[order](x10.tensor(A), n)
        x10.barrier()
        return y

    step(old)
    assert told(lambda: step(new)) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("run", "old", "new", "expected"),
    [
        (lambda f: x10.lazy(lambda x: f(x))(x10.tensor(A)), jnp.sin, jnp.cos, ("constant", "f", "sin", "cos")),
        (lambda n: x10.tensor(A)[:n], 2, 3, ("static_argument", "index", ":2", ":3")),
        (lambda n: x10.tensor(A)[1::n], 1, 2, ("static_argument", "index", "1::1", "1::2")),
        (lambda kind: x10.tensor(A).astype(kind), "int32", "float16", ("static_argument", "dtype", "'int32'", "'float16'")),
        (lambda v: x10.tensor(A).at[0].set(v), 1.0, 1, ("dtype", "values", "f32[]~", "i32[]~")),
        (lambda v: x10.tensor(A).at[0].add(v), 1.0, 2.0, None),
    ],
    ids=["function", "slice", "step", "dtype", "update", "number"],
)
def test_what_changed_is_called_what_the_user_calls_it(run: Callable[[Any], Any], old: Any, new: Any, expected: Any) -> None:
    forget()

    def step(value: Any) -> Any:
        y = run(value)
        x10.barrier()
        return y

    step(old)
    assert told(lambda: step(new)) == ([] if expected is None else [expected])


IN_CELLS = """\
def step(x, passes=2, axis=0, extra=False, kind=None):
    y = x * 1.5
    for _ in range(passes):
        y = xnp.tanh(y) + 0.25
    if extra:
        y = xnp.exp(y)
    if kind:
        y = y.astype(kind)
    return xnp.sum(y, axis=axis)
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("step(x, axis=1)", ("static_argument", "axis", "0", "1")),
        ("step(x, passes=3)", ("structure", "2 passes", "3 passes")),
        ("step(x, extra=True)", ("structure", "sum(f32[4,4])", "exp(f32[4,4])")),
        ("step(x, kind='int32')", ("structure", "sum(f32[4,4])", "astype(f32[4,4])")),
    ],
)
def test_a_call_in_another_cell_has_its_barrier_there_which_is_no_cause(call: str, expected: tuple[str, ...]) -> None:
    forget()
    names: dict[str, Any] = {"xnp": xnp, "x10": x10, "x": x10.tensor(A)}
    run_cell(IN_CELLS, names)
    run_cell("z = step(x); x10.barrier()", names)
    [cause] = causes(lambda: run_cell(f"z = {call}; x10.barrier()", names))
    told = (cause.kind, cause.where, cause.old, cause.new) if len(expected) == 4 else (cause.kind, cause.old, cause.new)
    assert told == expected


def test_a_setting_of_ours_is_the_cause_where_it_changes_what_the_device_holds() -> None:
    forget()

    def squares(dtype: str) -> Any:
        t = x10.tensor(np.ones((4, 4), dtype))
        y = (t * t).sum()
        x10.barrier()
        return y

    squares("float32")
    with x10.mixed_precision("bf16"):
        squares("float32")
    with x10.config(use_bf16=True):
        assert told(lambda: squares("float32")) == [("config", "XLA_USE_BF16", "False", "True")]
    with jax.enable_x64(True):
        squares("int64")
        with x10.config(use_32bit_long=True):
            assert told(lambda: squares("int64")) == [("config", "XLA_USE_32BIT_LONG", "False", "True")]


def test_of_equally_near_programs_the_one_in_the_nearest_settings_is_compared_with() -> None:
    forget()
    a = x10.tensor(A)

    def product() -> Any:
        y = a @ a
        x10.barrier()
        return y

    product()
    with jax.default_matmul_precision("highest"):
        product()
        product()
    with jax.enable_x64(True):
        assert told(product) == [("config", "jax_enable_x64", "False", "True")]
