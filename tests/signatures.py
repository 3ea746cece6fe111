"""Signatures of compiled calls, made up for tests."""

from typing import Any

from x10_jupyter.observe.arguments import Aval, Row
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.signature import Signature


def signature(*shapes: tuple[int, ...], token: int = 1, **fields: Any) -> Signature:
    rows = tuple(Row(f"x{index}", Aval(shape, "float32", weak=False)) for index, shape in enumerate(shapes))
    made: dict[str, Any] = {
        "token": token, "held": (), "options": (), "given": (), "defaults": (), "rows": rows, "context": (), "transform": "", "by": (), "program": (),
        "forgotten": 0, "site": None,
    }  # fmt: skip
    return Signature(**{**made, **fields})


def function(name: str = "step", **fields: Any) -> Function:
    made: dict[str, Any] = {
        "token": 1, "family": name, "scope": None, "name": name, "held": (), "site": None, "is_jax": False, "is_local": False, "is_lasting": True,
    }  # fmt: skip
    return Function(**{**made, **fields})
