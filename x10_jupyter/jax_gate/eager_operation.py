"""Which of JAX's own operations a function stands for, as JAX makes one for each operation that runs at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import jax

from x10_jupyter.jax_gate.private import Private

HOME = jax.__path__[0] + "/"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as it is bound: ``broadcast_in_dim`` with ``shape=(4,)``."""

    name: str
    params: Mapping[str, Private]
    """What it is bound with beside its arguments."""

    @property
    def body(self) -> str:
        """What the user's function in it is and where it is defined, ``body at train.py:12``, as for ``lax.scan``; empty if it has none."""
        return next((told for jaxpr in bodies(self.params) if (told := source_of(jaxpr))), "")


def operation_of(fun: Private) -> Operation | None:
    """The operation that JAX runs at once through this function; None if it is another function.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: None, so that an operation is told as a function of its name.
    """
    if not getattr(fun, "_apply_primitive", False):
        return None
    held: dict[str, Private] = dict(zip(fun.__code__.co_freevars, [cell.cell_contents for cell in fun.__closure__ or ()], strict=True))
    if "prim" not in held or "params" not in held:
        return None
    return Operation(str(held["prim"].name), dict(held["params"]))


def bodies(params: Mapping[str, Private]) -> Iterator[Private]:
    """The jaxprs among the parameters of an operation, as of ``scan`` and ``cond``."""
    for value in params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(one, "eqns"):
                yield one


def source_of(jaxpr: Private) -> str:
    """What a jaxpr was traced from and where that is defined: ``step at train.py:12``. Empty if JAX doesn't tell, or if it is JAX's own.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: empty.
    """
    told = getattr(getattr(getattr(jaxpr, "jaxpr", jaxpr), "debug_info", None), "func_src_info", None) or ""
    return "" if HOME in told else told


def is_jax_code(filename: str) -> bool:
    """Whether a file is JAX's own."""
    return filename.startswith(HOME)
