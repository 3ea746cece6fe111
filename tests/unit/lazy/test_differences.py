"""What differs between two versions of one operation; whole causes are in `test_causes.py`."""

from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.lazy.avals import Aval, aval_of
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.differences import between, cure, difference, edited_function, other_operation, text
from x10_jupyter.lazy.marks import Exact, Nested, Same
from x10_jupyter.lazy.precision import REDUCED
from x10_jupyter.lazy.trie import State
from x10_jupyter.lazy.value import Value


def aval(*shape: int, dtype: str = "float32", weak: bool = False) -> Aval:
    return aval_of(shape, np.dtype(dtype), weak)


@pytest.mark.parametrize(
    ("old", "new", "kind", "fix"),
    [
        (aval(32, 4), aval(17, 4), "shape", "Pad `x` to 32 rows, or drop the last, smaller batch."),
        (aval(17, 4), aval(32, 4), "shape", "Keep the shape of `x`: pad it to a few fixed sizes."),
        (aval(32, 4), aval(32, 5), "shape", "Keep the shape of `x`: pad it to a few fixed sizes."),
        (aval(2), aval(2, dtype="float16"), "dtype", "Convert `x` to float32 before it is used."),
        (aval(2), aval_of((2,), aval().dtype, held_as=REDUCED), "dtype", "Pass `x` through x10.to_full_precision."),
        (aval_of((2,), aval().dtype, held_as=REDUCED), aval(2), "dtype", "Pass `x` through x10.to_reduced_precision."),
        (aval(weak=True), aval(), "weak_type", "Convert `x` to float32 from the start."),
    ],
)
def test_differences_of_an_input_and_their_cures(old: Aval, new: Aval, kind: str, fix: str) -> None:
    assert difference(old, new) == kind
    assert cure(old, new, "x") == fix


@pytest.mark.parametrize(
    ("mark", "expected"), [(Value, "a tensor"), (float, "float"), ((str, "a"), "'a'"), (Exact(0.5), "0.5"), (Same(len), "len"), (None, "None")]
)
def test_marks_as_text(mark: Any, expected: str) -> None:
    assert text(mark) == expected


def code(key: str, **parts: Any) -> Nested:
    return Nested(("code", key), tuple(parts), tuple(parts.values()))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (code("f", k=float), code("f", k=float), None),
        (code("f", k=float), code("g", k=float), "f"),
        (code("f", h=code("old")), code("f", h=code("new")), "h"),
        (code("f", h=code("h", deep=code("old"))), code("f", h=code("h", deep=code("new"))), "deep"),
        (code("f", k=float), code("f", k=float, h=code("new")), "f"),
        (code("f", h=Same(len)), code("f", h=Same(max)), None),  # another function, which the mark names
        (code("f", h=Same(lambda: 1)), code("f", h=Same(lambda: 2)), "h"),
        (Same(len), Same(len), None),
        (Same(len), float, None),
    ],
)
def test_the_edited_function_is_the_innermost(a: Any, b: Any, expected: str | None) -> None:
    assert edited_function(a, b, "f") == expected


def state_of(run: Any, trace: Trace) -> State:
    trace.restart()
    kept = run(x10.tensor(np.ones((2, 3), np.float32)))
    state = trace.state
    trace.restart()
    del kept
    return state


def test_two_operations(trace: Trace) -> None:
    sine, cosine = state_of(x10.numpy.sin, trace), state_of(x10.numpy.cos, trace)
    cause = other_operation(sine, cosine)
    assert (cause.kind, cause.old, cause.new) == ("structure", "sin(f32[2,3])", "cos(f32[2,3])")
    assert between(sine, cosine) is None, "they are no versions of one"
    assert between(sine, sine) is None


def test_another_structure_of_arguments(trace: Trace) -> None:
    # Two functions of the same code used to be taken for each other, so that this one seemed to have become another.
    def double(p: Any) -> Any:
        return p["w"] * 2

    def other() -> Any:
        def double(p: Any) -> Any:
            return p["w"] * 2

        return double

    state_of(lambda x: x10.lazy(other())({"w": x}), trace)
    f = x10.lazy(double)
    one = state_of(lambda x: f({"w": x}), trace)
    two = state_of(lambda x: f({"w": x, "b": 0.5}), trace)
    come, gone = between(one, two), between(two, one)
    assert come is not None
    assert gone is not None
    assert (come.kind, come.where, come.old, come.new) == ("pytree", "p['b']", "absent", "float")
    assert (gone.where, gone.old, gone.new) == ("p['b']", "float", "absent")


def test_something_static(trace: Trace) -> None:
    cause = between(*[state_of(lambda x, axis=axis: x10.numpy.sum(x, axis=axis), trace) for axis in (0, 1)])
    assert cause is not None
    assert (cause.kind, cause.where, cause.old, cause.new) == ("static_argument", "axis", "0", "1")
