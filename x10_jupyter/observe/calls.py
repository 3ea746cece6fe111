"""What a call on the stack says to whoever compares calls."""

import inspect
from dataclasses import replace
from typing import Any

from x10_jupyter.jax_gate.compiling_call import CompilingCall
from x10_jupyter.jax_gate.known_programs import traced
from x10_jupyter.jax_gate.tracing import is_tracer, mapped_axis
from x10_jupyter.observe.arguments import Arguments, Aval, arguments
from x10_jupyter.observe.values import name_of
from x10_jupyter.observe.wrappers import Asked


def known_names() -> frozenset[str]:
    """The names of the functions that JAX has traced and that are still there."""
    found = set[str]()

    def note(fun: Any) -> bool:  # noqa: ANN401 - whatever was given to jax.jit
        found.add(name_of(fun))
        return False

    list(traced(note))
    return frozenset(found)


def key_of(call: CompilingCall) -> tuple[int, ...]:
    """The same for all phases of one program: nobody else has these while the call is on the stack."""
    return id(call.frame), id(call.fun), id(call.args) if call.fun is not None else 0, id(call.program)


def look(told: Asked, info: Any) -> Arguments:  # noqa: ANN401 - JAX's
    """The arguments of a call."""
    if told.static_argnums is not None:
        return arguments(signature_of(told.fun), told.args, told.kwargs, numbers=told.static_argnums)
    if told.is_static is None:
        return arguments(info.fun_signature, told.args, told.kwargs, numbers=info.static_argnums, names=info.static_argnames)
    found = arguments(signature_of(told.fun), told.args, told.kwargs, is_static=told.is_static)
    if not told.is_tree:
        return found
    itself = arguments(None, (), {"self": told.fun}, is_static=told.is_static)
    return replace(found, rows=(*itself.rows, *found.rows), leaves=(*itself.leaves, *found.leaves))


def signature_of(fun: Any) -> inspect.Signature | None:  # noqa: ANN401 - the user's function
    """Its parameters, if it can say."""
    try:
        return inspect.signature(fun)
    except (TypeError, ValueError):
        return None


def transformed_by(found: Arguments) -> tuple[str, ...]:
    """The arguments that are tracers, those of a ``vmap`` along another axis than the first with that."""
    paths = [row.path for row in found.rows if isinstance(row.what, Aval)]
    return tuple(path + along(leaf) for path, leaf in zip(paths, found.leaves, strict=True) if is_tracer(leaf))


def along(tracer: Any) -> str:  # noqa: ANN401 - JAX's
    """Along which axis an array is mapped, with a blank before it; empty for the first, and for what is not mapped."""
    axis = mapped_axis(tracer)
    return f" along axis {axis}" if axis else ""


def inputs(program: Any) -> tuple[str, ...]:  # noqa: ANN401 - JAX's
    """The inputs of a jaxpr."""
    return tuple(map(told, program.in_avals)) if program is not None else ()


def outputs(program: Any) -> tuple[str, ...]:  # noqa: ANN401 - JAX's
    """The outputs of a jaxpr."""
    return tuple(map(told, program.out_avals)) if program is not None else ()


def told(aval: Any) -> str:  # noqa: ANN401 - JAX's
    """An aval as text."""
    return str(Aval(tuple(aval.shape), str(aval.dtype), bool(aval.weak_type)))
