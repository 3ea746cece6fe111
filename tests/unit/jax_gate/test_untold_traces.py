"""Traces within a transformation are told, and nothing stays behind."""

from typing import Any

import jax
import numpy as np
import pytest

from tracebacks import frames_of_ours
from x10_jupyter.jax_gate import untold_traces
from x10_jupyter.jax_gate.untold_traces import NAME, UntoldTraces, home

X = np.ones(3, np.float32)


def test_only_traces_that_jax_does_not_tell_of_are_told() -> None:
    told: list[Any] = []
    watch = UntoldTraces(lambda fun: told.append(fun.__name__) or fun, lambda begun: told.append(begun.__name__))
    original = getattr(home(), NAME)
    watch.put()
    try:

        def f(a: Any) -> Any:
            return (a * 3).sum()

        jitted = jax.jit(f)
        jitted(X)
        assert "f" not in told
        told.clear()
        jax.grad(jitted)(X[:2])
        assert told[0] == told[-1] == "f"
        times = len(told)
        jax.grad(jitted)(X[:2])
        assert len(told) == times
    finally:
        watch.undo()
    assert getattr(home(), NAME) is original


def test_what_fails_while_it_is_traced_ends_as_well() -> None:
    told: list[str] = []
    watch = UntoldTraces(lambda _fun: told.append("begin") or 1, lambda _begun: told.append("end"))
    watch.put()

    @jax.jit
    def bad(_: Any) -> Any:
        raise ZeroDivisionError

    try:
        with pytest.raises(ZeroDivisionError):
            jax.grad(bad)(X[0])
    finally:
        watch.undo()
    assert told == ["begin", "end"]


def test_what_somebody_else_has_put_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = UntoldTraces(lambda _: None, lambda _: None)
    watch.put()
    monkeypatch.setattr(home(), NAME, None)
    watch.undo()
    assert getattr(home(), NAME) is None
    watch.undo()


def test_without_the_function_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untold_traces, "NAME", "gone")
    watch = UntoldTraces(lambda _: None, lambda _: None)
    watch.put()
    watch.undo()
    assert not hasattr(home(), "gone")


@pytest.mark.parametrize("call", [lambda f: f(X), lambda f: jax.grad(lambda a: f(a).sum())(X), lambda f: jax.vmap(f)(X)], ids=["jit", "grad", "vmap"])
def test_the_traceback_of_what_fails_has_the_users_lines_and_none_of_ours(call: Any) -> None:
    def broken(_: Any) -> Any:
        raise ZeroDivisionError

    watch = UntoldTraces(lambda fun: fun, lambda _: None)
    watch.put()
    try:
        with pytest.raises(ZeroDivisionError) as caught:
            call(jax.jit(broken))
    finally:
        watch.undo()
    assert caught.traceback[-1].name == "broken"
    assert frames_of_ours(caught.value) == []
