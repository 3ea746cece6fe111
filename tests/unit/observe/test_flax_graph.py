"""Models of Flax nnx, taken apart."""

from typing import Any, cast

import jax.numpy as jnp
import pytest
from flax import nnx
from flax.nnx import extract, graphlib

from x10_jupyter.observe.arguments import Aval, Node, arguments
from x10_jupyter.observe.flax_graph import Layer, graph_of


class Model(nnx.Module):
    def __init__(self, width: int) -> None:
        rngs = nnx.Rngs(0)
        self.linear = nnx.Linear(3, width, rngs=rngs)
        self.layers = nnx.List([nnx.Param(jnp.ones(width)), nnx.Dropout(0.5, rngs=rngs)])
        self.again = self.linear
        self.tree = nnx.data({"k": nnx.Param({"q": jnp.ones(2)}), "z": (jnp.ones(1),)})
        self.rate = 0.5


def taken_apart(model: nnx.Module) -> Any:
    """As ``nnx.jit`` does."""
    with graphlib.split_context() as context:
        return extract.NodeStates.from_split(*context.flatten(model, with_paths=False))


def by_flax(model: nnx.Module) -> dict[str, Any]:
    """The same by Flax's own paths."""
    _, state = nnx.split(model)
    return {"".join(f".{one}" if isinstance(one, str) else f"[{one}]" for one in path): leaf.get_raw_value() if hasattr(leaf, "get_raw_value") else leaf
            for path, leaf in nnx.to_flat_state(state)}  # fmt: skip


def test_arrays_have_the_paths_that_flax_tells() -> None:
    model = Model(4)
    found = graph_of(taken_apart(model), None)
    assert found is not None
    ours = {path.replace("['k']", ".k").replace("['z']", ".z"): leaf for path, leaf in (part for part in found.parts if not isinstance(part, Layer))}
    theirs = by_flax(model)
    assert ours.keys() == theirs.keys()
    assert all(ours[path] is theirs[path] for path in ours)
    assert ours[".again.kernel"] is model.linear.kernel.get_raw_value()


def test_layers_have_their_fields_and_the_names_of_their_parts() -> None:
    found = graph_of(taken_apart(Model(4)), None)
    assert found is not None
    layers = {part.path: part for part in found.parts if isinstance(part, Layer)}
    assert layers[""].kind == "Model"
    assert layers[""].fields == [(".rate", 0.5)]
    assert layers[""].names == [".again", ".layers", ".linear", ".tree"]
    assert dict(layers[".again"].fields)[".out_features"] == 4
    assert layers[".layers"].fields == []
    assert [layers[path].text for path in ("", ".layers", ".again")] == ["Model of again, layers, linear, tree", "List of 2", "Linear of bias, kernel"]
    assert layers[".tree"].names == ["['k']", "['z']"]
    assert dict(layers[".layers[1]"].fields)[".rate"] == 0.5


def test_rows_are_in_the_order_of_jax() -> None:
    found = arguments(None, (taken_apart(Model(4)),), {})
    assert [str(row.what) for row in found.rows if isinstance(row.what, Aval)] == [str(Aval(leaf.shape, str(leaf.dtype), weak=False)) for leaf in found.leaves]
    root = found.rows[0].what
    assert isinstance(root, Node)
    assert root.extra == "Model of again, layers, linear, tree"
    again = arguments(None, (taken_apart(Model(4)),), {})
    assert again.rows == found.rows
    assert arguments(None, (taken_apart(Model(5)),), {}).rows != found.rows


@pytest.mark.parametrize("spoilt", ["nodes", "attributes"])
def test_what_is_not_as_it_was_in_these_versions_is_taken_as_it_is(spoilt: str) -> None:
    whole = taken_apart(Model(4))
    definition = whole._graphdef
    left = {"nodes": definition.nodes, "attributes": definition.attributes}
    less = graphlib.GraphDef(**{**left, spoilt: left[spoilt][:-1]}, num_leaves=definition.num_leaves)
    assert graph_of(extract.NodeStates.from_split(less, whole.states[0]), None) is None
    strange = graphlib.GraphDef(nodes=[*definition.nodes[:-1], cast("Any", object())], attributes=definition.attributes, num_leaves=definition.num_leaves)
    assert graph_of(extract.NodeStates.from_split(strange, whole.states[0]), None) is None
    assert graph_of(extract.NodeStates.from_split(definition, whole.states[0], []), None) is None
    assert graph_of(extract.NodeStates.from_states(whole.states[0]), None) is None
    assert graph_of({"a": 1}, None) is None
