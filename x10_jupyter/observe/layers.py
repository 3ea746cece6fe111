"""What a function is wrapped around, and what made it."""

import functools
import types
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from x10_jupyter.base.frames import is_ours_or_library
from x10_jupyter.jax_gate.eager_operation import HOME, is_jax_code
from x10_jupyter.observe.values import name_of

MOST_LAYERS = 12
"""Wrappers around a function that are looked through."""

LOCAL = ".<locals>."
LAMBDA = "lambda …"
PMAP = "jax.pmap("


def layers_of(fun: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever was given to jax.jit
    """A function, and what it is wrapped around, the innermost last."""
    for _ in range(MOST_LAYERS):
        yield fun
        if isinstance(fun, functools.partial):
            fun = fun.func
        elif isinstance(fun, types.MethodType):
            fun = fun.__func__
        elif (inner := getattr(fun, "__wrapped__", None)) is not None:
            fun = inner
        elif not hasattr(fun, "__code__") and isinstance(getattr(type(fun), "__call__", None), types.FunctionType):  # noqa: B004 - it is what is looked at
            fun = type(fun).__call__
        elif (held := hidden_in(fun)) is not None:
            fun = held
        else:
            return


def hidden_in(fun: Any) -> Any:  # noqa: ANN401 - as above
    """The user's function that a function of JAX's closes over, as ``pmap``'s does; None if there is none."""
    if not isinstance(fun, types.FunctionType) or not is_jax_code(fun.__code__.co_filename):
        return None
    for held in closed_over(fun):
        one = held.f if hasattr(held, "call_wrapped") else held  # how JAX holds a function that it transforms
        if callable(one) and not isinstance(one, type) and any(not is_ours_or_library(file_of(layer)) for layer in layers_of(one)):
            return one
    return None


def closed_over(fun: types.FunctionType) -> Iterator[Any]:
    """What a function has from around it."""
    for cell in fun.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # the name is bound later
            continue


def file_of(function: Any) -> str:  # noqa: ANN401 - as above
    """The file of a function; that of JAX for what has none."""
    code = getattr(function, "__code__", None)
    return code.co_filename if isinstance(code, types.CodeType) else HOME


def is_hidden(fun: Any) -> bool:  # noqa: ANN401 - as above
    """Whether a function is one of JAX's around the user's without having its name."""
    return getattr(fun, "__name__", "").startswith("_") and any(hidden_in(layer) is not None for layer in layers_of(fun))


def made_of(layers: Sequence[Any]) -> str:
    """What made a function, as its author may have written it: ``jax.grad(loss)``, ``functools.partial(loss, …)``, ``lambda …``.

    Args:
        layers: The function and what it is wrapped around; see `layers_of`.

    Returns:
        Empty for what a ``def`` made.
    """
    innermost = name_of(layers[-1])
    if is_hidden(layers[0]):
        return f"{PMAP}{LAMBDA if innermost == '<lambda>' else innermost})"
    told = LAMBDA if innermost == "<lambda>" else innermost
    for layer in reversed(layers[:-1]):
        told = made_by(layer, told)
    return "" if told == innermost else told


def made_by(layer: Any, inner: str) -> str:  # noqa: ANN401 - as above
    """What one layer makes of what it is wrapped around; the same where that can't be told."""
    if isinstance(layer, functools.partial):
        return f"functools.partial({inner}, …)" if layer.args or layer.keywords else f"functools.partial({inner})"
    if isinstance(layer, types.MethodType):
        owner = layer.__self__
        return f"{owner.__name__}.{layer.__name__}" if isinstance(owner, type) else f"{type(owner).__name__}(…).{layer.__name__}"
    if isinstance(layer, types.FunctionType):
        maker = maker_of(layer)
        return f"{maker}({inner})" if maker else inner
    if getattr(jax, type(layer).__name__, None) is type(layer):
        return f"jax.{type(layer).__name__}({inner})"
    return f"{type(layer).__name__}(…)" if inner == "__call__" else inner


def maker_of(layer: types.FunctionType) -> str:
    """The function that returned another one: ``jax.grad``, or a decorator of the user's; empty if it can't be told."""
    code = layer.__code__
    if not is_jax_code(code.co_filename):
        return returned_by(code)
    inside = (held for held in closed_over(layer) if isinstance(held, types.FunctionType) and is_jax_code(held.__code__.co_filename))
    names = [returned_by(one).removeprefix("_") for one in (code, *(held.__code__ for held in inside))]
    return next((f"jax.{name}" for name in names if name and callable(getattr(jax, name, None))), "")


def returned_by(code: types.CodeType) -> str:
    """The function around some code: ``timed`` for ``timed.<locals>.inner``."""
    around, local, _ = code.co_qualname.rpartition(LOCAL)
    return around.rpartition(".")[2] if local else ""
