"""What the user calls the inputs of an operation."""

from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import run_cell
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.marks import Nested
from x10_jupyter.lazy.names import input_name, leaves_of, marked, named, number_name
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value


def last(cell: str, trace: Trace, **names: Any) -> State:
    """The state of a cell's last operation."""
    given = {"x10": x10, "xnp": x10.numpy, "x": x10.tensor(np.ones((2, 2), np.float32)), "w": x10.tensor(np.ones((2, 2), np.float32)), **names}
    given["several"] = [given["x"], given["w"]]
    run_cell("kept = " + cell if "\n" not in cell else cell, given)
    return trace.state


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x @ w", ["x", "w"]),
        ("x[0] * (w + 1.0)", ["x[0]", "w + 1.0"]),
        ("xnp.matmul(x, b=w)", ["x", "w"]),
        ("x.dot(w)", ["x", "w"]),
        ("-x", ["x"]),
        ("xnp.stack(several)", ["several[0]", "several[1]"]),
        ("xnp.stack([x, w])", ["x", "w"]),
        ("xnp.stack([*several])", ["arrays[0]", "arrays[1]"]),
        ("(x\n     .T)", ["the tensor of .T"]),
        ("(x\n     @ w)", ["left operand", "right operand"]),
    ],
)
def test_an_input_is_called_what_is_written(cell: str, expected: list[str], trace: Trace) -> None:
    state = last(cell if "\n" not in cell else "kept = " + cell, trace)
    assert [input_name(state, i) for i in range(len(state.op.ins))] == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x10.lazy(lambda batch, params: batch @ params['w'])(x, {'w': w})", ["batch", "params['w']"]),
        ("x10.lazy(lambda batch: batch @ w)(x)", ["w", "batch"]),
        ("x10.lazy(lambda *layers: layers[0] @ layers[1])(x, w)", ["layers[0]", "layers[1]"]),
        ("t = {'deep': [w]}\nkept = x10.lazy(lambda batch: batch @ t['deep'][0])(x)", ["t['deep'][0]", "batch"]),
    ],
)
def test_an_input_of_the_users_function_is_called_as_in_it(cell: str, expected: list[str], trace: Trace) -> None:
    state = last(cell, trace)
    names = [input_name(state, i) for i in range(len(state.op.ins))]
    assert [n.replace('["', "['").replace('"]', "']") for n in names] == expected


def test_numbers_have_names_too(trace: Trace) -> None:
    state = last("x10.lazy(lambda v, rate, k: v * rate + k)(x, 0.5, 2)", trace)
    assert [number_name(state.op.call, i) for i in range(3)] == ["rate", "k", ""]
    assert number_name(last("x * 2.0", trace).op.call, 0) == ""


def test_an_operation_and_its_line(trace: Trace) -> None:
    assert named(last("x @ w", trace)).startswith("`matmul` at <cell ")


def test_the_leaves_of_a_mark() -> None:
    mark = Nested("code", ("helper", "k"), (Nested("code", ("w",), (Value,)), Nested(tuple, ("[0]", "[1]"), (int, Value))))
    assert list(leaves_of(mark, "f")) == [("w", Value), ("k[0]", int), ("k[1]", Value)]
    assert list(leaves_of(Nested("partial", ("func", "args"), (1, 2)), "p")) == [("p", 1), ("args", 2)]


def test_an_operator_has_no_marks(trace: Trace) -> None:
    assert marked(last("x * w", trace).op.call) == []
