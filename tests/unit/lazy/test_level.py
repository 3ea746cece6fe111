"""One gradient while it is taken."""

import weakref
from itertools import count
from typing import Any

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import interrupted, raise_interrupt
from x10_jupyter.base.errors import UsageError
from x10_jupyter.lazy.autodiff import LEVELS
from x10_jupyter.lazy.avals import aval_of
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.level import cast_to, fitted

X = np.array([1.0, 2.0], np.float32)


def test_the_tape_is_there_only_while_it_is_used(trace: Trace) -> None:
    assert trace.tape is None
    trace.look()
    before = trace.special
    seen: list[Any] = []

    def inner(x: Any) -> Any:
        seen.append((trace.tape, trace.tape.level, trace.special))
        return x * x

    def outer(x: Any) -> Any:
        seen.append((trace.tape, trace.tape.level, trace.special))
        slope = x10.grad(inner)(x)
        seen.append((trace.tape, trace.tape.level, trace.special))
        return slope * x

    x10.grad(outer)(x10.tensor(2.0))
    tapes, depths, special = zip(*seen, strict=True)
    assert tapes[0] is tapes[1] is tapes[2], "one inside the other, on one tape"
    assert depths == (1, 2, 1)
    assert all(special)
    assert trace.tape is None
    trace.look()
    assert trace.special is before


def test_an_error_inside_leaves_nothing_open_and_keeps_nothing(trace: Trace) -> None:
    kept: list[Any] = []

    def wrong(x: Any) -> Any:
        y = x10.numpy.sin(x)
        kept.append(weakref.ref(y * x))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        x10.grad(wrong)(x10.tensor(X))
    assert trace.tape is trace.replay is None
    x10.barrier()
    assert kept[0]() is None
    assert np.asarray(x10.grad(lambda x: (x * x).sum())(x10.tensor(X))).tolist() == [2, 4]
    del caught


FILES = {"gradients.py", "level.py", "replay.py", "autodiff.py", "operators.py"}


def is_call_of_gradients(frame: Any, event: str) -> bool:
    """Whether a function of `FILES` is called; a generator that is closing may not raise."""
    code = frame.f_code
    return event == "call" and code.co_name != "<genexpr>" and code.co_filename.rpartition("/")[2] in FILES


@pytest.mark.parametrize("known", [False, True])
def test_an_interrupt_at_any_call_leaves_nothing_open(trace: Trace, known: bool) -> None:
    """`__enter__` and `__exit__` of a context manager are calls themselves, at which an interrupt once left the tape open for good."""
    x = x10.tensor(X)

    def step() -> Any:
        return x10.grad(lambda v: (x10.numpy.sin(v) * v).sum())(x)

    for _ in range(3 * known):
        step()
        x10.barrier()
    for number in count(1):
        was_interrupted = interrupted(step, number, raise_interrupt, is_call_of_gradients)
        assert trace.tape is trace.replay is None, f"at call {number}"
        x10.barrier()
        if not was_interrupted:
            break
    assert np.asarray(step()).tolist() == pytest.approx((np.sin(X) + X * np.cos(X)).tolist())


def test_only_uses_of_the_marked_values_count() -> None:
    x = x10.tensor(X)
    slope = x10.grad(lambda v: (v * x).sum())(x)
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
