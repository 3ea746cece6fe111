"""Which of JAX's own operations a function stands for, as JAX makes one for each operation that runs at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FrameType

import jax

from x10_jupyter.jax_gate.private import Private

HOME = jax.__path__[0] + "/"
LAX = f"{HOME}_src/lax/"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as it is bound: ``broadcast_in_dim`` with ``shape=(4,)``."""

    name: str
    params: Mapping[str, Private]
    """What it is bound with beside its arguments."""

    @property
    def is_made_of_functions(self) -> bool:
        """Whether functions that JAX has traced are parts of it."""
        return any(True for _ in bodies(self.params))

    def goes_through_arrays(self, leaves: int) -> bool:
        """Whether it is a scan over arrays, which is as long as they are.

        Tried on jax 0.10.2 (``num_carry``) and 0.12.0.1 (``ft_in``). Gone: it is none.

        Args:
            leaves: Its arguments.
        """
        if "num_carry" in self.params:
            return leaves > self.params.get("num_consts", 0) + self.params["num_carry"]
        unpack = getattr(self.params.get("ft_in"), "unpack", tuple)
        return any(len(part) > 0 for part in unpack()[2:])

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


GIVEN = {
    "scan": ("f",), "map": ("f",), "fori_loop": ("body_fun",), "while_loop": ("body_fun", "cond_fun"),
    "cond": ("true_fun", "false_fun"), "switch": ("branches",),
}  # fmt: skip
"""Public functions of ``jax.lax`` that bind an operation with a function of the user's, and what they call that; the one that is told by its name first."""


def given_functions(frame: FrameType | None) -> tuple[Private, ...]:
    """The functions that the user has given to the operation that is bound: ``body`` of ``lax.scan(body, ...)``.

    Tried on jax 0.10.2 and 0.12.0.1. Gone: none, so that they are known by what they are called and where they are defined.

    Args:
        frame: One of JAX's, within the call of the operation.
    """
    found: tuple[Private, ...] = ()
    while frame is not None and is_jax_code(frame.f_code.co_filename):
        names = GIVEN.get(frame.f_code.co_name, ()) if frame.f_code.co_filename.startswith(LAX) else ()
        held = [frame.f_locals[name] for name in names if name in frame.f_locals]
        functions = tuple(each for one in held for each in (one if isinstance(one, tuple | list) else (one,)) if callable(each))
        found = functions or found  # the outermost is the one that was called: fori_loop calls scan
        frame = frame.f_back
    return found


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
