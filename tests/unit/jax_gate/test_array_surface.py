"""What a method or property of an array needs is found out, not listed."""

import jax
import jax.numpy as jnp
import pytest

from x10_jupyter.jax_gate.array_surface import Needs, array_methods, array_properties, surface

ARRAY = jnp.arange(4).reshape(2, 2)


def test_every_public_name_of_an_array_is_there_once():
    methods, properties = set(array_methods()), set(array_properties())
    assert methods | properties == {name for name in {*dir(ARRAY), *dir(jax.Array)} if not name.startswith("_")}
    assert not methods & properties


@pytest.mark.parametrize(
    "name", ["sum", "reshape", "astype", "transpose", "argmax", "cumsum", "dot", "take", "clip", "copy", "round", "swapaxes", "repeat", "view"]
)
def test_array_functions_need_the_graph(name):
    assert array_methods()[name] is Needs.GRAPH


@pytest.mark.parametrize(
    "name", ["item", "tolist", "tobytes", "nonzero", "is_ready", "addressable_data", "block_until_ready", "delete", "copy_to_host_async", "devices"]
)
def test_what_hands_out_values_or_speaks_of_buffers_needs_the_value(name):
    assert array_methods()[name] is Needs.VALUE


@pytest.mark.parametrize(
    ("names", "needs"),
    [
        (["T", "mT", "at", "real", "imag"], Needs.GRAPH),
        (["shape", "dtype", "ndim", "size", "nbytes", "itemsize", "weak_type", "aval"], Needs.SHAPE),
        (["sharding", "device", "addressable_shards", "committed", "is_fully_replicated", "global_shards"], Needs.VALUE),
    ],
)
def test_properties(names, needs):
    assert {name: array_properties()[name] for name in names} == dict.fromkeys(names, needs)


def test_what_needs_the_graph_can_be_traced():
    for name in (name for name, needs in array_properties().items() if needs is Needs.GRAPH and name != "at"):
        assert jax.make_jaxpr(lambda x, name=name: getattr(x, name))(ARRAY).out_avals
    for name in ("sum", "argsort", "ravel", "std"):
        assert jax.make_jaxpr(lambda x, name=name: getattr(x, name)())(ARRAY).out_avals


def test_the_answer_is_the_same_when_first_asked_for_inside_a_trace():
    outside = surface()
    surface.cache_clear()
    jax.eval_shape(lambda x: array_methods() and x, ARRAY)
    assert surface() == outside
