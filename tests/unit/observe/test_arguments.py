"""Arguments as rows."""

import dataclasses
import functools
import inspect
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest

from x10_jupyter.observe.arguments import Aval, Node, Static, arguments, aval_of, place_of, positional_name

X = np.ones((2, 3), np.float32)


def step(batch: Any, state: Any, *rest: Any, n: int = 1, flag: bool = False) -> None: ...


SIGNATURE = inspect.signature(step)


def test_every_part_has_its_path() -> None:
    found = arguments(SIGNATURE, ({"image": X}, None, X), {"n": 3}, names=("n",))
    told = [(row.path, str(row.what) if isinstance(row.what, Aval) else row.what.text) for row in found.rows]
    assert told == [("batch", "{'image'}"), ("batch['image']", "f32[2,3]"), ("state", "None"), ("rest[0]", "f32[2,3]"), ("n", "3")]
    assert found.given == (("batch", "by position"), ("state", "by position"), ("rest[0]", "by position"), ("n", "by name"))
    assert found.defaults == (("flag", "False"),)
    assert len(found.leaves) == 2


def test_static_positions_count_from_either_end() -> None:
    for numbers in ((1,), (-1,)):
        found = arguments(None, (X, 7), {}, numbers=numbers)
        assert [type(row.what) for row in found.rows] == [Aval, Static]
    assert [type(row.what) for row in arguments(None, (X,), {}, numbers=(5,)).rows] == [Aval]


def test_a_wrapper_may_choose_by_type() -> None:
    found = arguments(None, ([X, "a"],), {}, is_static=lambda leaf: isinstance(leaf, str))
    assert [(row.path, type(row.what)) for row in found.rows] == [("argument 0", Node), ("argument 0[0]", Aval), ("argument 0[1]", Static)]


def test_names_of_positions() -> None:
    names = list(SIGNATURE.parameters.values())
    assert [positional_name(names, index) for index in range(4)] == ["batch", "state", "rest[0]", "rest[1]"]
    assert positional_name([], 2) == "argument 2"


def test_an_array_is_what_a_program_depends_on() -> None:
    assert aval_of(1.0) == Aval((), "float32", weak=True)
    assert aval_of(jax.typeof(X)) == aval_of(X) == Aval((2, 3), "float32", weak=False)
    with pytest.raises(TypeError):
        aval_of("text")


def test_only_what_somebody_put_somewhere_has_a_place() -> None:
    assert place_of(X) == place_of(jax.numpy.ones(2)) == ""
    assert place_of(jax.device_put(X, jax.devices()[1])) == "CPU:1"


def test_a_long_dictionary_is_cut_short_and_still_told_apart() -> None:
    one, other = ({str(number): X for number in range(size)} for size in (20, 21))
    a, b = (arguments(None, (value,), {}).rows[0].what for value in (one, other))
    assert isinstance(a, Node)
    assert "and 12 more" in a.text
    assert a != b


@functools.partial(jax.tree_util.register_static)
@dataclasses.dataclass(frozen=True)
class Fixed:
    width: int


def test_fields_that_are_no_data_are_known_by_name() -> None:
    linear = eqx.nn.Linear(3, 2, key=jax.random.key(0))
    told = [dict(row.what.fields) for value in (linear, Fixed(4)) if isinstance((row := arguments(None, (value,), {}).rows[0]).what, Node)]
    assert {name: one.text for name, one in told[0].items()} == {".in_features": "3", ".out_features": "2", ".use_bias": "True"}
    assert {name: one.text for name, one in told[1].items()} == {".width": "4"}


def test_an_array_on_a_mesh_has_its_axes() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    put = jax.device_put(X, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")))
    assert str(aval_of(put)) == "f32[2,3]"
    assert aval_of(put) != aval_of(X)
    assert place_of(put) == "P('x',) over CPU:0, CPU:1"
