"""Which operation made a compilation fail, and what can be computed without it."""

from collections.abc import Sequence

import jax
from jax.extend.core import jaxpr_as_fun

from x10_jupyter.lazy.avals import Aval, number_aval
from x10_jupyter.lazy.core import State
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.op import Op


def culprits(state: State) -> list[State]:
    """Those places on the way to a state whose operation JAX does not lower, alone as little as with others.

    JAX traces some operations that it cannot lower for a dtype or on a device, such as the ``argmin`` of complex numbers: eager JAX says so at once,
    a trace when it is cut. Costs as much as lowering each operation once.
    """
    known: dict[int, bool] = {}
    found = []
    for place in path_to(state):
        if place.op is not None:
            refused = known.get(id(place.op))
            if refused is None:
                refused = known[id(place.op)] = is_refused(place.op)
            if refused:
                found.append(place)
    return found


def is_refused(op: Op) -> bool:
    """Whether JAX cannot lower an operation."""
    try:
        jax.jit(jaxpr_as_fun(op.jaxpr)).lower(*map(given, op.ins), *[given(number_aval(kind)) for kind in op.call.numbers])
    except Exception:  # noqa: BLE001 - whatever it says, this is the one
        return True
    return False


def given(aval: Aval) -> jax.ShapeDtypeStruct:
    """Something of this type to lower for."""
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def spoiled(state: State, guilty: Sequence[State]) -> dict[int, State]:
    """Each value on the way to a state that cannot be computed, with the place that is to blame."""
    blamed: dict[int, State] = {}
    places = {id(place) for place in guilty}
    for place in path_to(state):
        if place.op is not None:
            before = place if id(place) in places else next((blamed[r] for r in place.key[1:] if r in blamed), None)
            if before is not None:
                blamed |= dict.fromkeys(range(place.ref, place.ref + len(place.op.outs)), before)
    return blamed
