"""Changes of JAX's settings are heard, and JAX is left as it was."""

import gc
import threading
from contextlib import contextmanager

import jax
import jax.numpy as jnp
import pytest
from jax._src import config, core

from x10_jupyter.jax_gate import config_watch, settings
from x10_jupyter.jax_gate.config_watch import ConfigWatch
from x10_jupyter.jax_gate.context import trace_context, trace_context_names

ENABLE_X64 = config.enable_x64
AXES = core.axis_env_state


@contextmanager
def watching(**options):
    heard = []
    watch = ConfigWatch(lambda name, every_thread: heard.append((name, every_thread, trace_context())), **options)
    assert watch.install()
    try:
        yield heard
    finally:
        watch.uninstall()


def names(heard):
    return [name for name, _, _ in heard]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda: jax.enable_x64(True), "jax_enable_x64"),
        (lambda: jax.default_matmul_precision("float32"), "jax_default_matmul_precision"),
        (lambda: jax.numpy_dtype_promotion("strict"), "jax_numpy_dtype_promotion"),
        (lambda: jax.default_device(jax.devices()[0]), "jax_default_device"),
        (lambda: jax.disable_jit(), "jax_disable_jit"),
        (lambda: jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((1,), ("rows",))), "abstract_mesh_context_manager"),
    ],
)
def test_a_with_is_heard_on_the_way_in_and_out(change, name):
    manager = change()
    with watching() as heard:
        outside = trace_context()
        with manager:
            inside = trace_context()
            assert names(heard) == [name], "told once, at once"
            assert heard[0][1] is False and heard[0][2] == inside, "only for this thread, after the change"
            heard.clear()
        assert names(heard) == [name] and heard[0][2] == outside != inside


def test_an_update_is_heard_as_one_for_every_thread():
    with watching() as heard:
        jax.config.update("jax_numpy_rank_promotion", "warn")
        jax.config.update("jax_numpy_rank_promotion", "allow")
    assert [(name, every_thread) for name, every_thread, _ in heard] == [("jax_numpy_rank_promotion", True)] * 2


def test_the_setters_themselves_are_heard():
    with watching() as heard:
        previous = ENABLE_X64.swap_local(True)
        ENABLE_X64.set_local(previous)
        ENABLE_X64.set_global(True)
        ENABLE_X64.set_global(False)
    assert [every_thread for _, every_thread, _ in heard] == [False, False, True, True]


def test_setting_the_same_value_is_not_heard():
    with watching() as heard, jax.enable_x64(False):
        jax.config.update("jax_enable_x64", False)
    assert heard == []


def test_the_setting_takes_effect_as_ever():
    with watching():
        with jax.enable_x64(True):
            assert jnp.arange(3).dtype == "int64"
        assert jnp.arange(3).dtype == "int32"


def test_a_mesh_set_for_good_is_heard():
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    with watching() as heard:
        before = trace_context()
        with jax.set_mesh(mesh):
            assert trace_context() != before
            assert heard
            heard.clear()
        assert heard and trace_context() == before


def test_xla_metadata_is_heard():
    from jax.experimental.xla_metadata import set_xla_metadata

    with watching() as heard, set_xla_metadata(mark="here"):
        assert "xla_metadata_context_manager" in names(heard)


def test_axis_names_are_heard():
    with watching() as heard:
        jax.vmap(jnp.sin, axis_name="batch")(jnp.ones(3))
    assert "axis_env_state" in names(heard)


@pytest.mark.parametrize("made_before", [True, False])
def test_user_contexts_are_heard_whenever_they_were_made(made_before):
    user_context = jax.make_user_context("plain") if made_before else None
    with watching() as heard:
        if user_context is None:
            user_context = jax.make_user_context("plain")
            assert names(heard) == ["user_context"], "it made the trace context longer"
            heard.clear()
        with user_context("other"):
            assert names(heard) == ["user_context"]
        user_context.set_global("third")
        assert [every_thread for _, every_thread, _ in heard] == [False, False, True]


def test_a_user_context_no_longer_used_does_not_hinder():
    jax.make_user_context("forgotten")
    gc.collect()
    with watching() as heard, jax.enable_x64(True):
        assert names(heard) == ["jax_enable_x64"]


def test_compiled_and_eager_calls_are_not_heard():
    compiled = jax.jit(lambda x: x * 2)
    x = compiled(jnp.ones(3))
    first = jnp.sin(x) + x
    with watching() as heard:
        compiled(x)
        second = jnp.sin(x) + x
    assert (first == second).all()
    assert heard == []


def test_a_change_on_another_thread_is_heard_there():
    with watching() as heard:
        threads = []

        def change():
            with jax.enable_x64(True):
                threads.append(threading.get_ident())

        watch = ConfigWatch(lambda _name, _every: threads.append(threading.get_ident()))
        assert watch.install()
        worker = threading.Thread(target=change)
        worker.start()
        worker.join()
        watch.uninstall()
    assert names(heard) == ["jax_enable_x64"] * 2
    assert len(set(threads)) == 1 and threads[0] != threading.get_ident() and len(threads) == 3


def test_what_the_callback_raises_is_logged_and_goes_no_further(caplog):
    def fail(_name, _every_thread):
        raise ValueError("from the callback")

    watch = ConfigWatch(fail)
    assert watch.install()
    try:
        with jax.enable_x64(True):
            assert jnp.arange(3).dtype == "int64"
    finally:
        watch.uninstall()
    assert "jax_enable_x64" in caplog.text and "from the callback" in caplog.text


def test_further_settings_are_watched_on_request():
    with watching() as heard, jax.debug_nans(True):
        assert heard == []
    with watching(also=["jax_debug_nans"]) as heard, jax.debug_nans(True):
        assert names(heard) == ["jax_debug_nans"]


def test_jax_is_left_as_it_was():
    own = type(ENABLE_X64), type(AXES), config.UserConfig.__init__
    first, second = ConfigWatch(lambda *_: None, also=["jax_debug_nans"]), ConfigWatch(lambda *_: None)
    assert first.install() and first.install() and second.install()
    assert type(ENABLE_X64) is not own[0] and isinstance(ENABLE_X64, own[0])
    first.uninstall()
    assert type(ENABLE_X64) is not own[0], "the second is at work still"
    second.uninstall()
    second.uninstall()
    assert (type(ENABLE_X64), type(AXES), config.UserConfig.__init__) == own
    assert type(config.debug_nans) is own[0]


def test_after_uninstall_nothing_is_heard():
    with watching() as heard:
        pass
    with jax.enable_x64(True):
        assert heard == []


def test_a_with_entered_before_uninstall_is_left_properly():
    with watching():
        manager = jax.enable_x64(True)
        manager.__enter__()
    manager.__exit__(None, None, None)
    assert jnp.arange(3).dtype == "int32"


def test_settings_added_later_are_named():
    watch = ConfigWatch(lambda *_: None)
    assert watch.install() and watch.added() == ()
    try:
        jax.make_user_context(None)
        assert watch.added() == ("user_context",)
        assert watch.install() and watch.added() == ()
    finally:
        watch.uninstall()


def test_where_a_class_cannot_be_exchanged_nothing_is_changed(monkeypatch, caplog):
    def refuse(_original, _tell):
        raise TypeError("object layout differs")

    monkeypatch.setattr(settings, "telling", refuse)
    own = type(ENABLE_X64)
    assert ConfigWatch(lambda *_: None).install() is False
    assert type(ENABLE_X64) is own and ConfigWatch.installed == ()
    assert "object layout differs" in caplog.text


def test_where_a_setting_is_not_found_nothing_is_changed(monkeypatch, caplog):
    monkeypatch.setattr(config_watch, "trace_context_names", lambda: (*trace_context_names(), "jax_hidden"))
    own = type(ENABLE_X64)
    assert ConfigWatch(lambda *_: None).install() is False
    assert type(ENABLE_X64) is own
    assert "jax_hidden" in caplog.text
