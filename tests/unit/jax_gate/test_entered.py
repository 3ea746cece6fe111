"""Earlier settings are put in force again, for a while and on this thread."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.jax_gate.context import trace_context
from x10_jupyter.jax_gate.entered import entered, setting_called

SETTINGS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "64 bits": lambda: jax.enable_x64(True),
    "precision": lambda: jax.default_matmul_precision("float32"),
    "promotion": lambda: jax.numpy_dtype_promotion("strict"),
    "a device": lambda: jax.default_device(jax.devices()[0]),
    "a mesh": lambda: jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((1,), ("rows",))),
}


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS.keys())
def test_going_there_and_back(setting: Callable[[], AbstractContextManager[Any]]) -> None:
    outside = trace_context()
    with setting():
        inside = trace_context()
    assert inside != outside
    with entered(inside):
        assert trace_context() == inside
        with entered(outside):
            assert trace_context() == outside
    assert trace_context() == outside


def test_what_is_computed_there_has_its_meaning() -> None:
    with jax.enable_x64(True):
        context = trace_context()
    with entered(context):
        assert jnp.arange(2).dtype == jnp.int64
    assert jnp.arange(2).dtype == jnp.int32


def test_an_error_leads_back_too() -> None:
    outside = trace_context()
    with jax.enable_x64(True):
        inside = trace_context()
    with pytest.raises(KeyError, match="mine"), entered(inside):
        raise KeyError("mine")
    assert trace_context() == outside


def test_an_interrupt_on_the_way_leads_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = trace_context()
    with jax.enable_x64(True), jax.numpy_dtype_promotion("strict"):
        inside = trace_context()

    def interrupted(name: str) -> Any:
        if trace_context() != outside:
            raise KeyboardInterrupt
        return setting_called(name)

    monkeypatch.setattr("x10_jupyter.jax_gate.entered.setting_called", interrupted)
    with pytest.raises(KeyboardInterrupt), entered(inside):
        pass
    assert trace_context() == outside


def test_other_threads_stay_where_they_are() -> None:
    with jax.enable_x64(True):
        inside = trace_context()
    found: list[Any] = []
    with entered(inside):
        thread = threading.Thread(target=lambda: found.append(jnp.arange(2).dtype))
        thread.start()
        thread.join()
    assert found == [jnp.int32]


def test_settings_by_name() -> None:
    assert hasattr(setting_called("jax_enable_x64"), "swap_local")
    assert hasattr(setting_called("abstract_mesh_context_manager"), "swap_local")
    assert setting_called("user_context") is None
