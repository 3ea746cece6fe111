"""JAX calls what is put there, goes on to look for nans where it is asked to, and nothing stays behind."""

import threading
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.call_hook import CallHook

X = jnp.ones(3)


@pytest.fixture
def calls() -> Iterator[list[str]]:
    found: list[str] = []
    hook = CallHook()
    before, updates = hook.state.get_local(), [getattr(setting, name) for setting, name, _ in hook.updates]
    jnp.sin(X)
    hook.put(lambda function, *_: found.append(str(getattr(function, "__name__", ""))))
    yield found
    hook.undo()
    jnp.sin(X)
    assert not callable(hook.state.get_local())
    assert before is hook.state.get_local() or hook.state.get_local() is None
    assert [getattr(setting, name) for setting, name, _ in hook.updates] == updates


def test_each_call_is_told(calls: list[str]) -> None:
    jnp.sin(X)
    jnp.sin(X)
    assert calls == ["sin", "sin"]


def test_operations_that_switch_the_search_for_nans_off_do_not_end_it(calls: list[str]) -> None:
    jax.nn.softmax(X)
    jnp.std(X)
    with jax.debug_nans(False):
        pass
    calls.clear()
    jnp.sin(X)
    assert calls == ["sin"]


def test_jax_looks_for_nans_where_it_is_asked_to(calls: list[str]) -> None:
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        jnp.log(X - 2)
    jax.config.update("jax_debug_nans", True)
    try:
        with pytest.raises(FloatingPointError):
            jnp.log(X - 2)
    finally:
        jax.config.update("jax_debug_nans", False)
    calls.clear()
    jnp.sin(X)
    assert calls == ["sin"], "and then it is there again"


def test_where_it_looks_for_nans_already_nothing_is_put() -> None:
    found: list[Any] = []
    with jax.debug_nans(True):
        hook = CallHook()
        hook.put(lambda *_: found.append(1))
        with pytest.raises(FloatingPointError):
            jnp.log(X - 2)
        hook.undo()
        with pytest.raises(FloatingPointError):
            jnp.log(X - 2)
    assert found == []


def test_other_threads_are_as_they_were(calls: list[str]) -> None:
    def elsewhere() -> None:
        with jax.debug_nans(False):
            np.asarray(jnp.sin(X))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert calls == []


def test_without_the_place_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("jax._src.api._post_hook_state")
    with pytest.raises(UnsupportedJaxError, match="_post_hook_state"):
        CallHook()
