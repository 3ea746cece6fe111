"""Registering a class, and leaving JAX as it was."""

import sys
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax._src import core, dtypes
from jax._src.numpy import util

from x10_jupyter.base.errors import UnsupportedJaxError
from x10_jupyter.jax_gate.array_type import REGISTRY, register_array_type, unregister_array_type

X = jnp.arange(3.0)
FUNCTIONS = [
    ("jax._src.lax.lax", "asarray"),
    ("jax._src.numpy.array_constructors", "array"),
    ("jax._src.numpy.indexing", "eliminate_deprecated_list_indexing"),
    ("jax._src.random.core", "_check_prng_key"),
    ("jax._src.pjit", "_pjit_call_impl_python"),
    ("jax._src.dispatch", "_device_put_impl"),
    ("jax._src.pjit", "convert_to_metaty"),
    ("jax.numpy", "array"),
    ("jax.random", "normal"),
]


def state():
    """All that registering changes in JAX."""
    return [core.pytype_aval_mappings.copy(), util._arraylike_types, *(getattr(sys.modules[module], name) for module, name in FUNCTIONS)]


@pytest.fixture(autouse=True)
def jax_is_left_as_it_was(jax_untouched):
    before = state()
    yield
    assert state() == before and REGISTRY.types == {}


def test_undone_by_what_it_returns(unknown):
    undo = register_array_type(unknown, unknown.described, unknown.concrete)
    assert (jnp.sin(unknown(X)) == jnp.sin(X)).all()
    undo()
    undo()
    for refused in (jnp.sin, jax.jit(lambda x: x), lambda t: jax.lax.sin(t), jax.device_put):
        with pytest.raises(TypeError, match=r"not a valid JAX type|Error interpreting argument"):
            refused(unknown(X))
    with pytest.raises(TypeError, match="requires ndarray or scalar arguments"):
        jnp.add(unknown(X), X)


def test_registering_again_replaces_how_an_instance_is_read(unknown):
    register_array_type(unknown, unknown.described, lambda _: X)
    register_array_type(unknown, unknown.described, lambda _: X + 1)
    assert (jnp.sin(unknown(X)) == jnp.sin(X + 1)).all()
    assert (jnp.add(unknown(X), 0) == X + 1).all()
    assert util._arraylike_types.count(unknown) == 1
    unregister_array_type(unknown)


def test_can_be_registered_again_after_it_was_removed(unknown):
    for _ in range(2):
        register_array_type(unknown, unknown.described, unknown.concrete)
        assert (jax.jit(lambda x: x * 2)(unknown(X)) == X * 2).all()
        unregister_array_type(unknown)


def test_classes_are_independent_and_subclasses_go_with_their_class(unknown):
    class Sub(unknown):
        __slots__ = ()

    class Other:
        pass

    register_array_type(unknown, unknown.described, unknown.concrete)
    undo = register_array_type(Other, lambda _: jax.typeof(X), lambda _: X)
    other: Any = Other()
    for call in (jnp.sin, jax.jit(lambda x: x * 2), lambda t: jnp.add(t, 1), lambda t: jnp.zeros(3).at[0].set(jnp.asarray(t)[0])):
        assert (call(Sub(X)) == call(X)).all() and (call(other) == call(X)).all()
    undo()
    assert (jnp.add(Sub(X), 0) == X).all()
    with pytest.raises(TypeError):
        jnp.add(other, 0)
    unregister_array_type(unknown)


def test_what_reading_raises_reaches_the_caller(unknown):
    def fail(_):
        raise RuntimeError("the program failed")

    register_array_type(unknown, unknown.described, fail)
    for call in (jnp.sin, jax.jit(lambda x: x), lambda t: jnp.add(t, 1), jax.grad(lambda x: x.sum()), jnp.asarray):
        with pytest.raises(RuntimeError, match="the program failed"):
            call(unknown(X))
    unregister_array_type(unknown)


def test_an_unknown_class_is_no_reason_to_fail_when_removed():
    unregister_array_type(dict)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(core, "pytype_aval_mappings"), (dtypes, "register_canonicalize_value_handler"), (util, "_arraylike_types")]
    + [(sys.modules[module], name) for module, name in FUNCTIONS if module.startswith("jax._src")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_where_jax_lacks_one_it_is_named_and_nothing_is_changed(owner, name, unknown):
    kept = getattr(owner, name)
    delattr(owner, name)
    try:
        with pytest.raises(UnsupportedJaxError, match=rf"{owner.__name__}\.{name}.*jax {jax.__version__}.*\.data"):
            register_array_type(unknown, unknown.described, unknown.concrete)
    finally:
        setattr(owner, name, kept)


@pytest.mark.parametrize(("owner", "name"), [(core, "pytype_aval_mappings"), (util, "_arraylike_types")])
def test_where_a_table_is_of_another_kind_it_is_named(owner, name, unknown, monkeypatch):
    monkeypatch.setattr(owner, name, object())
    with pytest.raises(UnsupportedJaxError, match=name):
        register_array_type(unknown, unknown.described, unknown.concrete)
