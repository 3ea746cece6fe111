"""`grad` and `value_and_grad`: define by run, as `jax.grad` to the eye."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import tree_flatten, tree_unflatten

from x10_jupyter.base.errors import OperandError, UsageError
from x10_jupyter.base.hiding import without_ours
from x10_jupyter.jax_gate.tracing import is_tracer
from x10_jupyter.lazy.level import Level
from x10_jupyter.lazy.line import user_line
from x10_jupyter.lazy.local import LOCAL, tensor_of
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.value import Value


def value_and_grad(fn: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Callable[..., Any]:  # noqa: PLR0915 - what ends it is written out
    """A function that returns both the value of `fn` and its gradient.

    Args:
        fn: Returns a real scalar; with ``has_aux`` a pair of it and anything else.
        argnums: Which positional arguments to differentiate by, each a pytree. Integer and boolean leaves are left alone: their gradient is zero, of their
            own dtype.
        has_aux: Whether `fn` returns a pair.

    Returns:
        A function of the same arguments. It returns ``(value, gradient)`` or ``((value, aux), gradient)``; the gradient has the structure,
        shapes and dtypes of the argument, and is a tuple if ``argnums`` is a sequence. It may be differentiated again.

    Raises:
        OperandError: The value is no real scalar, or an argument has no floating-point leaf.
    """
    chosen = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(fn)
    def with_gradient(*args: Any, **kwargs: Any) -> Any:
        kind = LOCAL.trace.kind
        places = [place_of(i, len(args)) for i in chosen]
        leaves, tree = tree_flatten([args[i] for i in places])
        rest = jax.tree.leaves(([x for i, x in enumerate(args) if i not in places], kwargs))
        if any(is_tracer(x) for x in (*leaves, *rest) if x.__class__ is not kind):
            return jax.value_and_grad(fn, argnums, has_aux=has_aux)(*args, **kwargs)
        inputs = [x if x.__class__ is kind else tensor_of(x) for x in leaves]
        check_inputs(inputs)
        level = Level(LOCAL.trace)
        try:
            level.begin()
            given = list(args)
            for i, part in zip(places, tree_unflatten(tree, level.mark(inputs)), strict=True):
                given[i] = part
            value, aux = split(level.record(fn, given, kwargs), has_aux=has_aux)
            loss = checked_loss(value)
            gradient = tree_unflatten(tree, level.gradients(loss))
        except Exception as error:
            without_ours(error)
            raise
        finally:  # without a call, since an interrupt comes at calls: what is opened is closed in any case, and an error keeps no values alive
            trace, tape = level.trace, level.tape
            trace.tape = level.outer
            trace.replay = tape.replay = None
            tape.open, tape.level = level.around, level.depth
            trace.special = True
            if trace.tape is None:
                tape.entries, level.marked, level.inputs = [], [], ()
        trace.choose_way()
        return ((loss, aux) if has_aux else loss), gradient[0] if isinstance(argnums, int) else tuple(gradient)

    return with_gradient


def grad(fn: Callable[..., Any], argnums: int | Sequence[int] = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of `fn`; as ``value_and_grad`` without the value.

    Args:
        fn: Returns a real scalar; with ``has_aux`` a pair of it and anything else.
        argnums: Which positional arguments to differentiate by.
        has_aux: Whether `fn` returns a pair.

    Returns:
        A function that returns the gradient, or ``(gradient, aux)``.

    Raises:
        OperandError: The value is no real scalar, or an argument has no floating-point leaf.
    """
    both = value_and_grad(fn, argnums, has_aux=has_aux)

    @functools.wraps(fn)
    def gradient_only(*args: Any, **kwargs: Any) -> Any:
        try:
            value, gradient = both(*args, **kwargs)
        except Exception as error:
            without_ours(error)
            raise
        return (gradient, value[1]) if has_aux else gradient

    return gradient_only


def place_of(argnum: int, count: int) -> int:
    """The place of an argument, which may be counted from the end."""
    place = argnum + count if argnum < 0 else argnum
    if not 0 <= place < count:
        raise UsageError(f"`argnums` must name positional arguments of the call, which has {count}", got=argnum, fix="Pass the argument by position.")
    return place


def check_inputs(inputs: list[Value]) -> None:
    """Raise if there is nothing to differentiate by."""
    if not any(t.aval.is_smooth for t in inputs):
        raise OperandError(
            "Gradients are taken by floating-point arguments",
            got=", ".join([repr(t.aval) for t in inputs]) or "no tensor",
            fix="Convert it to float32, or choose another with `argnums`.",
        )


def split(result: Any, *, has_aux: bool) -> tuple[Any, Any]:
    """The value and the rest of what the function returned."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise UsageError("With `has_aux` the function must return a pair", got=type(result).__name__, fix="Return (loss, aux).")
    return result


def checked_loss(value: Any) -> Value:
    """The loss as a tensor."""
    if not isinstance(value, Value):
        if not isinstance(value, (int, float, jax.Array)) and not hasattr(value, "__array__"):
            raise OperandError("Gradients are those of a scalar", got=type(value).__name__, fix="Return the loss alone, or a pair with `has_aux=True`.")
        value = tensor_of(value)
    aval = value.aval
    if aval.shape:
        raise OperandError("Gradients are those of a scalar", got=f"{aval!r} at {site_of(user_line())}", fix="Reduce the loss, for example with `.mean()`.")
    if not jnp.issubdtype(aval.dtype, jnp.floating):
        raise OperandError("Gradients are those of a real floating-point scalar", got=repr(aval), fix="Convert the loss to a float, or take its real part.")
    return value
