"""A program's way to XLA, once to run and once more to be looked at."""

from typing import Any

import jax
import numpy as np

import x10_jupyter as x10
from x10_jupyter.lazy.core import Trace
from x10_jupyter.lazy.graph import canonical, path_to
from x10_jupyter.lazy.staging import described, settled, staged


def test_a_graph_is_a_function_of_jax(trace: Trace) -> None:
    y: Any = x10.tensor(np.arange(3, dtype=np.float32)) * 2.0
    graph = canonical(path_to(trace.state), [y.ref], trace.numbers, {})
    with jax.disable_jit(), settled(None):
        lowered = staged(graph, "double").lower(*trace.leaves)
        outs, token = lowered.compile()(*trace.leaves)
    assert "module @jit_double" in lowered.as_text()
    assert np.asarray(outs[0]).tolist() == [0, 2, 4]
    assert token.shape == ()


def test_inputs_are_described_also_when_they_are_gone() -> None:
    plain, committed = jax.numpy.ones((2, 3)), jax.device_put(np.ones(2), jax.devices()[1])
    plain.delete()
    found = described([plain, committed])
    assert [(each.shape, str(each.dtype), each.sharding) for each in found] == [((2, 3), "float32", None), ((2,), "float32", committed.sharding)]


def test_a_program_is_traced_inside_its_mesh() -> None:
    mesh = jax.make_mesh((2,), ("rows",), (jax.sharding.AxisType.Explicit,))
    with settled(mesh):
        assert jax.sharding.get_abstract_mesh().axis_names == ("rows",)
    assert jax.sharding.get_abstract_mesh().empty
