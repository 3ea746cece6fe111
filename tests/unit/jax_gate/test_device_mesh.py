"""The mesh in force, with its devices."""

from typing import Any

import jax
import numpy as np

from x10_jupyter.jax_gate.context import trace_context
from x10_jupyter.jax_gate.device_mesh import device_mesh
from x10_jupyter.jax_gate.entered import entered


def mesh_of(*devices: Any) -> jax.sharding.Mesh:
    return jax.sharding.Mesh(np.array(devices), ("x",))


def test_it_is_the_one_that_was_set() -> None:
    assert device_mesh() is None
    mesh = mesh_of(jax.devices()[0])
    with jax.set_mesh(mesh):
        assert device_mesh() == mesh
    assert device_mesh() is None


def test_two_that_look_alike_differ_by_their_devices() -> None:
    one, other = mesh_of(jax.devices()[0]), mesh_of(jax.devices()[1])
    with jax.set_mesh(one):
        first = trace_context(), device_mesh()
    with jax.set_mesh(other):
        assert trace_context() == first[0]
        assert device_mesh() != first[1]


def test_it_is_entered_again_and_left() -> None:
    mesh = mesh_of(jax.devices()[1])
    with jax.set_mesh(mesh):
        context = trace_context()
        with entered(context, None):
            assert device_mesh() is None
        assert device_mesh() == mesh
    with entered(context, mesh):
        assert (jax.numpy.ones(2) * 2).devices() == {jax.devices()[1]}
    assert device_mesh() is None
