"""What one of JAX's own operations is bound with beside its arguments, as rows."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from x10_jupyter.observe.arguments import Row, Static
from x10_jupyter.observe.values import evidence_of, text_of
from x10_jupyter.records.cause import Kind

PARAMETERS: dict[str, Kind] = {
    "shape": "shape", "new_sizes": "shape", "start_indices": "shape", "limit_indices": "shape", "new_dtype": "dtype", "dtype": "dtype",
}  # fmt: skip
"""Parameters of JAX's operations that are what users call the shape or the dtype."""


INTERNAL = frozenset({"sharding", "out_sharding", "linear", "num_consts", "num_carry", "cond_nconsts", "body_nconsts", "_split_transpose", "ft_in", "ft_out"})
"""Parameters that JAX sets where users do not, mostly as others follow: they are told if nothing else differs."""


def parameters(found: Mapping[str, Any], *, has_length: bool = True) -> Iterator[Row]:
    """What one of JAX's operations is bound with, beside the functions in it.

    Args:
        found: It.
        has_length: Whether its length is not that of its arguments.
    """
    for name, value in found.items():
        if holds_program(value) or (name == "length" and not has_length):
            continue
        kind: Kind = PARAMETERS.get(name, "static_argument")
        mesh = getattr(value, "mesh", None)
        if name in {"sharding", "out_sharding"} and mesh is not None and not mesh.empty:
            kind = "placement"
        text = f"{value.spec}" if mesh is not None and hasattr(value, "spec") else text_of(plain(value))
        yield Row(name, Static(text, evidence_of(plain(value)), kind=kind, is_internal=name in INTERNAL and kind != "placement"))


def of_operation(row: Row) -> Row:
    """An argument of one of JAX's own functions, which is what users call it if it is static: the shape of ``jax.random.normal(key, shape)``."""
    return row._replace(what=row.what._replace(kind=PARAMETERS[row.path])) if isinstance(row.what, Static) and row.path in PARAMETERS else row


def holds_program(value: object) -> bool:
    """Whether it is a function that JAX has traced, or several."""
    return any(hasattr(one, "eqns") for one in (value if isinstance(value, tuple | list) else (value,)))


def plain(value: Any) -> Any:  # noqa: ANN401 - JAX's
    """The same with Python's numbers where JAX has put NumPy's."""
    if type(value) is tuple:
        return tuple(map(plain, value))
    return value.item() if isinstance(value, np.generic) else value
