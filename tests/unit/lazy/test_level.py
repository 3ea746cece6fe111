"""One gradient while it is taken."""

from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.autodiff import LEVELS
from x10_jupyter.lazy.avals import aval_of
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.level import Level, cast_to, fitted

X = np.array([1.0, 2.0], np.float32)


def test_the_tape_is_there_only_while_it_is_used(trace: Trace) -> None:
    assert trace.tape is None
    trace.look()
    before = trace.special
    with Level(trace) as outer:
        assert trace.tape is outer.tape
        assert trace.special
        with Level(trace) as inner:
            assert inner.tape is outer.tape, "one inside the other, on one tape"
            assert inner.bit != outer.bit
        assert trace.tape is outer.tape
    assert trace.tape is None
    assert trace.special is before


def test_an_error_inside_leaves_nothing_open(trace: Trace) -> None:
    def wrong(_: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), Level(trace) as level:
        level.record(wrong, [1], {})
    assert trace.tape is None
    assert np.asarray(x10.grad(lambda x: (x * x).sum())(x10.tensor(X))).tolist() == [2, 4]


def test_only_uses_of_the_marked_values_count(trace: Trace) -> None:
    x = x10.tensor(X)
    with Level(trace) as level:
        [marked] = level.mark([x])
        loss = level.record(lambda v: (v * x).sum(), [marked], {})
        [slope] = level.gradients(loss)
    assert np.asarray(slope).tolist() == [1, 2], "the user's own tensor is a constant"


def nested(depth: int) -> Any:
    f: Any = lambda x: x**2  # noqa: E731
    for _ in range(depth):
        f = x10.grad(f)
    return f


def test_too_deep_is_said_at_once() -> None:
    assert float(nested(3)(x10.tensor(2.0))) == 0
    with pytest.raises(UsageError, match=rf"^Gradients can be nested {LEVELS} deep; got {LEVELS + 1}\.$"):
        nested(LEVELS + 1)(x10.tensor(2.0))


def test_a_gradient_has_its_arguments_type(trace: Trace) -> None:
    g = x10.tensor(np.float32(1))
    assert fitted(trace, g, g.aval) is g
    for want in (aval_of((), np.dtype("float16")), aval_of((), np.dtype("float32"), True)):
        assert fitted(trace, g, want).aval is want
    assert cast_to(np.dtype("float16"), False).key == cast_to(np.dtype("float16"), False).key
    assert cast_to(np.dtype("float16"), False).key != cast_to(np.dtype("float16"), True).key
