"""Who holds a value is named on a miss."""

import functools
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import x10_jupyter as x10
from runtime import causes
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.holders import SEES_WITHOUT_PINNING, UNSEEN, holders, paths
from x10_jupyter.lazy.value import IS_COMPILED


def pending() -> x10.Tensor:
    return x10.tensor(np.ones(2, np.float32)) * 3.0


class Model:
    def __init__(self, w: Any) -> None:
        self.w = w

    def call(self) -> Any:
        return self.w


class Slotted:
    __slots__ = ("unset", "w")

    def __init__(self, w: Any) -> None:
        self.w = w


class State(NamedTuple):
    step: int
    params: Any


class Odd:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


def closed_over(t: Any) -> Any:
    return lambda: t


def generating(t: Any) -> Iterator[Any]:
    yield
    yield t


def started(t: Any) -> Iterator[Any]:
    made = generating(t)
    next(made)
    return made


def with_default(t: Any) -> Any:
    def function(x: Any = t) -> Any:
        return x

    return function


def in_itself(t: Any) -> Any:
    made: list[Any] = [t]
    made.insert(0, made)
    return made


CASES = {
    "a variable": (lambda t: t, "`KEPT`"),
    "a list": (lambda t: [1, t], "`KEPT[1]`"),
    "a dict": (lambda t: {"w": {"b": t}}, "`KEPT['w']['b']`"),
    "a dict of odd keys": (lambda t: {(1, 2): t}, "`KEPT[...]`"),
    "a named tuple": (lambda t: State(1, [t]), "`KEPT.params[0]`"),
    "a deque": (lambda t: deque([0, t]), "`KEPT[1]`"),
    "an attribute": (lambda t: Model([t]), "`KEPT.w[0]`"),
    "a slot": (Slotted, "`KEPT.w`"),
    "a bound method": (lambda t: Model(t).call, "`KEPT.__self__.w`"),
    "a closure": (closed_over, "`KEPT (its `t`)`"),
    "a default": (with_default, "`KEPT.__defaults__[0]`"),
    "a generator": (started, "`KEPT (a generator)`"),
    "a cycle": (in_itself, "`KEPT[1]`"),
    "beside odd objects": (lambda t: [Odd(), Odd, sys, t], "`KEPT[3]`"),
}


@pytest.mark.parametrize(("hold", "expected"), CASES.values(), ids=CASES.keys())
def test_the_way_from_a_global_variable(hold: Any, expected: str, trace: Trace) -> None:
    t = pending()
    globals()["KEPT"] = hold(t)
    try:
        assert expected in holders(t, trace, sys._getframe()).replace("`t`, ", "")
    finally:
        del globals()["KEPT"]


def test_several_names_and_ipythons_own() -> None:
    """As in a notebook, where an object that shows no values was the last expression of a cell."""
    t = pending()
    out = {5: Model(t)}
    names: dict[str, Any] = {"_oh": out, "Out": out, "_5": out[5], "_": out[5], "kept": [t]}
    assert list(paths(t, [names])) == ["kept[0]", "Out[5].w"]


@pytest.mark.parametrize(
    ("hold", "expected"), [(lambda t: [t], "a list"), (lambda t: (t,), "a tuple"), (lambda t: {"k": t}, UNSEEN if IS_COMPILED else "a dict")]
)
def test_a_container_of_no_name(hold: Any, expected: str, trace: Trace) -> None:
    t = pending()
    kept = hold(t)
    assert holders(t, trace, None) == expected
    del kept


def test_an_object_of_no_name(trace: Trace) -> None:
    t = pending()
    kept = functools.partial(print, Model(t))
    assert holders(t, trace, None) == "a Model"
    del kept


def test_a_running_functions_variable(trace: Trace) -> None:
    t = pending()
    found = holders(t, trace, sys._getframe())
    assert found == ("`t`" if SEES_WITHOUT_PINNING else UNSEEN)


def test_the_last_error(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def step(v: Any) -> None:
        raise ZeroDivisionError(v.shape)

    t = pending()
    try:
        step(t)
    except ZeroDivisionError as error:
        monkeypatch.setattr(sys, "last_value", error, raising=False)
    assert "the last error's traceback, in `step`" in holders(t, trace, None)


def test_looking_holds_nothing(trace: Trace) -> None:
    t = pending()
    globals()["KEPT"] = [Model(t), started(t), closed_over(t)]
    before = sys.getrefcount(t)
    holders(t, trace, sys._getframe())
    assert sys.getrefcount(t) == before
    del globals()["KEPT"]


def test_a_search_ends(trace: Trace) -> None:
    t = pending()
    globals()["KEPT"] = [[[i] for i in range(300)] for _ in range(100)]
    globals()["KEPT"].append([[[[[t]]]]])
    try:
        assert holders(t, trace, sys._getframe()) in {"a list", "`t`"}
    finally:
        del globals()["KEPT"]


def test_the_cause_of_a_compile_names_the_place_in_the_list() -> None:
    x = x10.tensor(np.ones(2, np.float32))
    globals()["HISTORY"] = [0, 0]

    def step(*, keep: bool) -> Any:
        y = x * 3.0
        if keep:
            globals()["HISTORY"][1] = y
        y = y + 1.0
        x10.barrier()
        return y

    try:
        step(keep=False)
        [cause] = causes(lambda: step(keep=True))
    finally:
        del globals()["HISTORY"]
    assert cause.kind == "live_outputs"
    assert cause.where.endswith("held by `HISTORY[1]`")
