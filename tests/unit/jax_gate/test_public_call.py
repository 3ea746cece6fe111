"""The public function that the user has called."""

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from x10_jupyter.base.clock import MonotonicClock, QueueClock, ThreadCpuClock
from x10_jupyter.jax_gate.compiling_call import CompilingCall, compiling_call
from x10_jupyter.jax_gate.public_call import PublicCall, arguments_of, public_call
from x10_jupyter.observe import causes
from x10_jupyter.observe.staging import Staging


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is found at each compile."""
    found: list[PublicCall | None] = []

    def spy(frame: Any) -> CompilingCall | None:
        call = compiling_call(frame)
        if call is not None:
            found.append(public_call(call.frame, call.args))
        return call

    monkeypatch.setattr(causes, "compiling_call", spy)
    staging = Staging(MonotonicClock(), ThreadCpuClock(), QueueClock())
    staging.stay()
    yield found
    staging.leave()


def test_a_function_is_told_as_users_write_it_with_their_names(seen: list[PublicCall | None]) -> None:
    a = jnp.asarray(np.ones((3, 7, 11), np.float32))
    seen.clear()
    jnp.sum(a)
    jax.random.normal(jax.random.key(0), (3, 7, 11, 13))
    names = [one.name for one in seen if one is not None]
    assert names[0] == "jnp.sum"
    assert seen[0] is not None
    assert seen[0].paths == {0: "a"}
    assert names[-1] == "jax.random.normal"


def test_items_of_a_list_are_told_each_by_its_place(seen: list[PublicCall | None]) -> None:
    a = jnp.asarray(np.ones((3, 7, 17), np.float32))
    seen.clear()
    jnp.concatenate([a, a])
    assert seen[0] == PublicCall("jnp.concatenate", {0: "arrays[0]", 1: "arrays[1]"})


def test_operators_and_what_never_enters_python_are_none(seen: list[PublicCall | None]) -> None:
    a = jnp.asarray(np.ones((3, 7, 19), np.float32))
    seen.clear()
    assert (a + a).shape == jnp.tan(a).shape
    assert seen
    assert set(seen) == {None}


def test_code_of_the_user_is_none() -> None:
    def f(a: Any, *, b: Any = (1, 2)) -> Any:
        return dict(arguments_of(sys._getframe())), public_call(sys._getframe(), ())

    assert f(0) == ({"a": 0, "b": (1, 2), "b[0]": 1, "b[1]": 2}, None)
