"""A program that JAX is about to make, as the call that asks for it tells."""

import re
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.jax_gate.context import settled_context
from x10_jupyter.jax_gate.eager_operation import operation_of
from x10_jupyter.jax_gate.public_call import public_call
from x10_jupyter.observe.arguments import Arguments, Aval, Row
from x10_jupyter.observe.bound import of_operation, parameters
from x10_jupyter.observe.calls import inputs, key_of, look, outputs, transformed_by
from x10_jupyter.observe.functions import Function
from x10_jupyter.observe.options import options_of
from x10_jupyter.observe.pins import Pin, pins_of
from x10_jupyter.observe.signature import Signature
from x10_jupyter.observe.transforms import transform
from x10_jupyter.observe.wrappers import Asked
from x10_jupyter.records.site import Site

INTERNAL = re.compile(r"_|stage$")
"""Functions that only JAX itself calls."""


@dataclass(slots=True)
class Making:
    """A program that JAX is about to make. It holds nothing of the user's."""

    key: tuple[int, ...]
    """The same for all phases of one program, while it is made."""

    function: Function
    signature: Signature
    source: str
    """What JAX calls the function in the programs that it derives from it."""

    is_traced: bool
    """Whether JAX had to trace it, so that it knew no such call of the function."""

    is_ahead: bool

    asked_for: Callable[[], Any] = lambda: None
    """Gives the function itself, if it is still there."""

    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the user calls the arguments of one of JAX's own functions: ``arrays[1]`` for ``args[1]``."""

    pins: tuple[Pin, ...] = ()
    """Its static arguments, if they are still there."""


def making(call: CompilingCall, told: Asked, function: Function, *, is_traced: bool, forgotten: int, site: Site | None) -> Making:
    """What a call makes.

    Args:
        call: It, as JAX sees it.
        told: It, as the user wrote it.
        function: What is called.
        is_traced: Whether it begins by tracing.
        forgotten: How often JAX had forgotten everything.
        site: The user's line.
    """
    found = look(told, call.info)
    transformed = transform(found.leaves, call.frame)
    signature = Signature(
        token=function.token,
        held=function.held,
        options=options(told, call.info),
        given=found.given,
        defaults=found.defaults,
        rows=rows_of(call.fun, function, found),
        context=settled_context(),
        transform=transformed,
        by=transformed_by(found) if transformed else (),
        program=inputs(call.program) if transformed else (),
        results=outputs(call.program) if transformed else (),
        forgotten=forgotten,
        site=site,
        reads=function.reads,
    )
    source = str(getattr(call.info, "fun_sourceinfo", ""))
    fun = weakly(call.fun)
    pins = pins_of(found.statics, function.name, function.site, fun, signature.forgotten)
    made = Making(key_of(call), function, signature, source, is_traced, call.is_ahead, fun, pins=pins)
    return as_called(made, call, found) if function.is_jax else made


def as_called(made: Making, call: CompilingCall, found: Arguments) -> Making:
    """The same by the names that the user knows, if one of JAX's own functions is made within a public one."""
    public = public_call(call.frame, found.leaves)
    if public is None:
        return made
    paths = [row.path for row in found.rows if isinstance(row.what, Aval)]
    names = {paths[place]: name for place, name in public.paths.items()}
    function = replace(made.function, name=public.name) if INTERNAL.match(made.function.name) else made.function
    return replace(made, function=function, names=names)


def compiled_with(made: Making, given: Mapping[str, Any]) -> Making:
    """The same of what was lowered ahead of time, with what it is compiled with.

    Args:
        made: It.
        given: That.
    """
    if not given:
        return made
    before = [one for one in made.signature.options if one[0] != "compiler_options"]
    options = (*before, ("compiler_options", repr(dict(sorted(given.items())))))
    return replace(made, signature=replace(made.signature, options=options))


def rows_of(fun: Any, function: Function, found: Arguments) -> tuple[Row, ...]:  # noqa: ANN401 - what was given to jax.jit
    """The arguments of a call, and what one of JAX's operations is bound with."""
    rows = tuple(map(of_operation, found.rows)) if function.is_jax else found.rows
    operation = operation_of(fun)
    if operation is None:
        return rows
    return (*rows, *parameters(operation.params, has_length=not operation.goes_through_arrays(len(found.leaves))))


def options(told: Asked, info: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - JAX's
    """What the user told `jax.jit`, or what makes calls of it, which passes shardings of its own making on."""
    found = options_of(info)
    return (*[one for one in found if one[0].startswith("donate")], *told.options) if told.options else found


def weakly(value: Any) -> Callable[[], Any]:  # noqa: ANN401 - as above
    """A value as long as others keep it."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None
