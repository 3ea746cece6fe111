"""Operands go by what the user wrote, however the operation is spelled, and by nothing else that stands there."""

import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import run_cell
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.names import input_name
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.written import Place, operator_of, places


def last(text: str, trace: Trace, **names: Any) -> State:
    """The state of the last operation of some code."""
    x, w, i = [x10.tensor(value) for value in (np.ones((4, 4), np.float32), np.ones((4, 4), np.float32), np.zeros(2, np.int32))]
    given = {"x10": x10, "xnp": x10.numpy, "x": x, "w": w, "i": i, "several": {"a": [x]}, **names}
    run_cell(text, given)
    return trace.state


def called(text: str, trace: Trace, **names: Any) -> list[str]:
    state = last(text, trace, **names)
    return [input_name(state, which) for which in range(len(state.op.ins))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.T", ["x"]),
        ("x.mT", ["x"]),
        ("x.real", ["x"]),
        ("(x * 2.0).T", ["x * 2.0"]),
        ("x.sum()", ["x"]),
        ("x.mean(axis=0)", ["x"]),
        ("x.reshape(-1)", ["x"]),
        ("x.reshape((2, 8))", ["x"]),
        ("x.astype('int32')", ["x"]),
        ("x.clip(0, 1)", ["x"]),
        ("x.clip(w, 2)", ["x", "w"]),
        ("x.clip(max=w)", ["x", "w"]),
        ("x.take(i, axis=0)", ["x", "i"]),
        ("x.dot(w)", ["x", "w"]),
        ("x[0]", ["x"]),
        ("x[1:2]", ["x"]),
        ("x[i]", ["x", "i"]),
        ("x[1:, i]", ["x", "i"]),
        ("x.at[0].set(1)", ["x"]),
        ("x.at[0:2, 1].mul(3)", ["x"]),
        ("x.at[i].add(w[i])", ["x", "i", "w[i]"]),
        ("x.at[0].get()", ["x"]),
        ("x + 1", ["x"]),
        ("1 - x", ["x"]),
        ("rate = 2.0\nkept = rate * x", ["x"]),
        ("2 ** x", ["x"]),
        ("x ** 2", ["x"]),
        ("x @ w.T", ["x", "w.T"]),
        ("1 < x", ["x"]),
        ("x >= w", ["x", "w"]),
        ("-x", ["x"]),
        ("~(x > 0)", ["x > 0"]),
        ("abs(x)", ["x"]),
        ("round(x, 2)", ["x"]),
        ("divmod(x, w)", ["x", "w"]),
        ("divmod(2, x)", ["x"]),
        ("w -= 0.5 * x", ["w", "0.5 * x"]),
        ("xnp.power(2, x)", ["x"]),
        ("xnp.einsum('ij,jk->ik', x, w)", ["x", "w"]),
        ("xnp.where(x > 0, w, 0.0)", ["x > 0", "w"]),
        ("xnp.matmul(b=w, a=x)", ["x", "w"]),
        ("xnp.stack([x, w])", ["x", "w"]),
        ("xnp.concatenate(several['a'])", ["arrays[0]"]),
        ("x10.lax.dynamic_slice(x, (0, 0), (2, 2))", ["x"]),
    ],
)
def test_an_operand_is_called_what_is_written(text: str, expected: list[str], trace: Trace) -> None:
    assert called(text, trace) == expected


def test_under_a_gradient_too(trace: Trace) -> None:
    assert called("def loss(v):\n    kept.append(v.mean(axis=0))\n    return kept[-1].sum()\nkept = []\nx10.grad(loss)(x)", trace)
    found = [input_name(state, 0) for state in path_to(trace.state) if state.op is not None and state.op.call.name == "mean"]
    assert found[:1] == ["v"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("function(x, w)", ["a", "b"]),  # what is written is not what is called
        ("xnp.matmul(*[x, w])", ["a", "b"]),
        ("xnp.matmul(x, **{'b': w})", ["a", "b"]),
        ("added(w, x)", ["left operand", "right operand"]),
        ("added(w, -x) if True else 0", ["left operand", "right operand"]),
        ("(x\n + w)", ["left operand", "right operand"]),
        ("(x\n  .sum())", ["the tensor of .sum"]),
    ],
)
def test_where_it_is_written_otherwise_nothing_is_guessed(text: str, expected: list[str], trace: Trace) -> None:
    added: Callable[..., Any] = operator.add
    assert called(text, trace, function=x10.numpy.matmul, added=added) == expected


def test_where_leaves_stand_in_arguments(trace: Trace) -> None:
    state = last("xnp.where(x > 0, w, 0.0)", trace)
    assert places(state.op.call) == [Place(0, ""), Place(1, ""), Place(2, "")]
    assert places(last("x.clip(max=w)", trace).op.call) == [Place(0, ""), Place("max", "")]
    assert places(last("xnp.stack([x, w])", trace).op.call) == [Place(0, "[0]"), Place(0, "[1]")]
    assert places(last("x + w", trace).op.call) == []


class Odd:
    """A container that asks what it holds for its shape."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.shape = tensor, tensor.shape


jax.tree_util.register_pytree_node(Odd, lambda odd: ((odd.tensor,), None), lambda _, children: Odd(children[0]))


def test_a_container_that_cannot_be_looked_into_is_called_as_its_parameter(trace: Trace) -> None:
    assert called("x10.lax.stop_gradient(odd)", trace, odd=Odd(x10.tensor(np.ones(2, np.float32)))) == ["x[<flat index 0>]"]


def test_an_operator_is_known(trace: Trace) -> None:
    assert operator_of(last("1 - x", trace).op.call) == ("operator", "sub", True)
    assert operator_of(last("x.sum()", trace).op.call) is None
