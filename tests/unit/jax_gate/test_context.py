"""What JAX's trace context says, and how two of them are told apart."""

import jax
import pytest
from jax._src import config

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate import context
from x10_jupyter.jax_gate.context import context_difference, trace_context, trace_context_names
from x10_jupyter.jax_gate.private import private


def test_names_fit_the_values():
    names = trace_context_names()
    assert len(names) == len(trace_context())
    assert trace_context()[names.index("jax_enable_x64")] is False
    with jax.enable_x64(True):
        assert trace_context()[names.index("jax_enable_x64")] is True


def test_equal_contexts_are_equal_and_hash_alike():
    before = trace_context()
    with jax.enable_x64(True):
        inside = trace_context()
    assert trace_context() == before != inside
    assert hash(trace_context()) == hash(before)
    assert context_difference(before, trace_context()) == []


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda: jax.enable_x64(True), ("jax_enable_x64", "False", "True")),
        (lambda: jax.default_matmul_precision("float32"), ("jax_default_matmul_precision", "None", "float32")),
        (lambda: jax.numpy_dtype_promotion("strict"), ("jax_numpy_dtype_promotion", "standard", "strict")),
        (lambda: jax.numpy_rank_promotion("raise"), ("jax_numpy_rank_promotion", "allow", "raise")),
        (lambda: jax.disable_jit(), ("jax_disable_jit", "False", "True")),
        (lambda: jax.threefry_partitionable(False), ("jax_threefry_partitionable", "True", "False")),
    ],
)
def test_difference_names_the_setting_and_both_values(change, difference):
    before = trace_context()
    with change():
        assert context_difference(before, trace_context()) == [difference]
        assert context_difference(trace_context(), before) == [(difference[0], difference[2], difference[1])]


def test_default_device_is_shown():
    before, device = trace_context(), jax.devices()[0]
    with jax.default_device(device):
        assert context_difference(before, trace_context()) == [("jax_default_device", "None", repr(device))]


def test_update_of_a_flag_is_a_difference():
    before = trace_context()
    jax.config.update("jax_numpy_rank_promotion", "warn")
    try:
        assert context_difference(before, trace_context()) == [("jax_numpy_rank_promotion", "allow", "warn")]
    finally:
        jax.config.update("jax_numpy_rank_promotion", "allow")


def test_axis_names_of_a_vmap_are_shown_readably():
    before, seen = trace_context(), []
    jax.vmap(lambda x: seen.extend(context_difference(before, trace_context())) or x, axis_name="batch")(jax.numpy.ones(3))
    [(_, _, new)] = [each for each in seen if each[0] == "axis env"]
    assert "batch" in new and " object at 0x" not in new


def test_a_mesh_is_a_difference():
    before = trace_context()
    with jax.set_mesh(jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))):
        text = str(context_difference(before, trace_context()))
    assert "rows" in text and "_context_manager" not in text


def test_a_setting_added_in_between_is_new():
    before = trace_context()
    user_context = jax.make_user_context("plain")
    assert context_difference(before, trace_context()) == [("user context", "not set", "plain")]
    assert user_context.value == "plain"


def test_debug_nans_is_not_in_the_context():
    before = trace_context()
    with jax.debug_nans(True):
        assert trace_context() == before


def test_long_values_are_cut():
    assert len(context.readable("x" * 500)) == context.TEXT_LIMIT


def test_names_are_numbers_where_jax_cannot_tell(monkeypatch):
    def cannot(*_args, **_kwargs):
        raise NotImplementedError

    monkeypatch.setattr(config, "trace_context_names", cannot)
    names = trace_context_names()
    assert len(names) == len(trace_context()) and names[0] == "setting 0"


def test_what_jax_lacks_is_named_with_its_version():
    with pytest.raises(UnsupportedJaxError, match=rf"jax\._src\.config\.no_such_thing.*jax {jax.__version__}.*Do this\."):
        private("jax._src.config", "no_such_thing", fix="Do this.")
