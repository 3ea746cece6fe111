"""What the runtime leaves in JAX can be taken out, and everything stays right without it."""

import logging
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import x10_jupyter as x10
from runtime import listening
from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.lazy import hooks
from x10_jupyter.lazy.local import LOCAL, Watch
from x10_jupyter.records.process_events import Read
from x10_jupyter.records.runtime_events import Cut


@pytest.fixture
def without() -> Iterator[None]:
    """The hooks are out during the test."""
    hooks.uninstall()
    try:
        yield
    finally:
        hooks.install()


def two() -> x10.Tensor:
    return x10.tensor(np.array([2, 3], np.float32))


def test_jax_takes_tensors_and_each_is_a_read() -> None:
    with listening() as events:
        assert float(jnp.sum(two() * 2.0)) == 10  # pyright: ignore[reportArgumentType]
        assert jax.jit(lambda x: x + 1)(two()).tolist() == [3, 4]
        assert jax.grad(lambda x: (x * x).sum())(two()).tolist() == [4, 6]
    assert {e.how for e in events if isinstance(e, Read)} == {"jax"}


def test_without_hooks_jax_refuses_tensors(without: None) -> None:
    with pytest.raises(TypeError, match="Tensor"):
        jnp.sum(two())  # pyright: ignore[reportArgumentType]
    assert float(jnp.sum(two().data)) == 5


def test_without_hooks_a_changed_setting_is_seen_all_the_same(without: None) -> None:
    assert not Watch.is_on
    for _ in range(2):
        t = two() * 2
        with jax.enable_x64(True):
            wide = t * np.float64(0.5)
            assert wide.dtype == np.float64
        assert (t * 0.5).dtype == np.float32
        assert np.asarray(wide).tolist() == [2, 3]


def test_without_hooks_a_trace_is_cut_where_the_setting_changes(without: None) -> None:
    with listening() as events:
        t = two() * 2.0
        with jax.default_matmul_precision("float32"):
            u = t + 1.0
        assert np.asarray(u).tolist() == [5, 7]
    assert next(e.why for e in events if isinstance(e, Cut)) == "config"


def test_they_can_be_put_in_again() -> None:
    hooks.uninstall()
    hooks.uninstall()
    hooks.install()
    hooks.install()
    assert Watch.is_on
    assert float(jnp.sum(two())) == 5  # pyright: ignore[reportArgumentType]
    assert float((two() * 2.0).sum()) == 10
    _ = two() * 2.0  # JAX changes settings while it compiles, so that the first operation after it looks
    assert not LOCAL.trace.special, "the short way is open again"


def test_a_jax_that_lacks_a_table_is_told_of(without: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def lacking(*_: object) -> None:
        raise UnsupportedJaxError("This needs a table")

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr(hooks, "register_array_type", lacking)
        hooks.install()
    assert "Tensors cannot be passed to JAX's own functions: This needs a table. Pass `.data` instead." in caplog.text
    assert float((two() * 2.0).sum()) == 10


def test_what_jax_is_told_never_computes() -> None:
    t = two() * 2.0
    with listening() as events:
        assert hooks.typeof(t) == jax.typeof(jax.numpy.ones(2))
        assert hooks.typeof(x10.tensor(1.0)).weak_type is x10.tensor(1.0).weak_type
        assert jax.eval_shape(lambda x: x @ x, t).shape == ()
    assert not [e for e in events if isinstance(e, Cut)]
