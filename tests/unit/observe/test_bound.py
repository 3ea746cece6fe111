"""What operations are bound with."""

import jax
import numpy as np

from x10_jupyter.observe.arguments import Row, Static, aval_of
from x10_jupyter.observe.bound import of_operation, parameters

X = np.ones((2, 3), np.float32)


def test_parameters_of_operations_say_what_they_are() -> None:
    rows = list(parameters({"shape": (np.int64(2),), "new_dtype": np.dtype("float32"), "axis": 0}))
    told = [(row.what.kind, row.what.text) for row in rows if isinstance(row.what, Static)]
    assert told == [("shape", "(2,)"), ("dtype", "float32"), ("static_argument", "0")]


def test_static_arguments_of_jax_s_own_functions_are_what_users_call_them() -> None:
    rows = Row("shape", Static("(3,)", 3)), Row("axis", Static("1", 1)), Row("shape", aval_of(X))
    told = [row.what.kind if isinstance(row.what, Static) else "" for row in map(of_operation, rows)]
    assert told == ["shape", "static_argument", ""]


def test_what_jax_sets_and_functions_in_operations_are_set_apart() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    program = jax.make_jaxpr(lambda a: a)(X)
    found = {"jaxpr": program, "branches": (program,), "sharding": sharding, "out_sharding": None, "num_carry": 1, "num_consts": 0, "length": 4}
    rows = list(parameters(found))
    told = [(row.path, row.what.kind, row.what.is_internal) for row in rows if isinstance(row.what, Static)]
    assert told == [
        ("sharding", "placement", False), ("out_sharding", "static_argument", True), ("num_carry", "static_argument", True),
        ("num_consts", "static_argument", True), ("length", "static_argument", False),
    ]  # fmt: skip
    assert "length" not in [row.path for row in parameters(found, has_length=False)]
