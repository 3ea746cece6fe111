"""Numbers that a function converts to another dtype: whether one fits is told by its value alone, so JAX has to see it."""

import cmath
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from x10_jupyter.lazy.avals import Aval
from x10_jupyter.lazy.context import Context
from x10_jupyter.lazy.op import Call, specialise


def all_fit(call: Call, numbers: Sequence[Any], context: Context, ins: tuple[Aval, ...] = ()) -> bool:
    """Whether each number of a call fits the dtype that the call converts it to. If not, JAX may refuse it, or make something else of it.

    Args:
        call: The call.
        numbers: Its parameters.
        context: JAX's configuration.
        ins: The call's tensors.
    """
    known = call.conversions.get((context, ins))
    if known is None:
        known = call.conversions[context, ins] = conversions(call, context, ins)
    return all(is_in(dtype, numbers[i]) for i, dtype in known)


def conversions(call: Call, context: Context, ins: tuple[Aval, ...] = ()) -> tuple[tuple[int, Any], ...]:
    """Which of the parameters of a call are converted, and to which dtype."""
    try:
        jaxpr = specialise(call, ins, context).jaxpr.jaxpr
    except Exception:  # noqa: BLE001 - what is wrong comes out when the call is made
        return ()
    places = {id(v): i for i, v in enumerate(jaxpr.invars[len(ins) :])}
    converted = [e for e in jaxpr.eqns if e.primitive.name == "convert_element_type" and id(e.invars[0]) in places]
    return tuple([(places[id(e.invars[0])], e.params["new_dtype"]) for e in converted])


def is_in(dtype: Any, number: complex) -> bool:
    """Whether a dtype has a number, up to rounding."""
    if jnp.issubdtype(dtype, jnp.complexfloating) or isinstance(number, bool):
        return True
    if isinstance(number, complex):
        return False
    if not jnp.issubdtype(dtype, jnp.integer):
        return True
    limits = jnp.iinfo(dtype)
    return cmath.isfinite(number) and int(limits.min) <= int(number) <= int(limits.max) and not (number < 0 <= limits.min)
