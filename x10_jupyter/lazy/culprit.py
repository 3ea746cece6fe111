"""Which operation made a compilation fail, what can be computed without it, and how that is told."""

from collections.abc import Sequence
from itertools import count

import jax

from x10_jupyter.base.errors import gist
from x10_jupyter.jax_gate.extended import jaxpr_as_fun
from x10_jupyter.lazy.avals import Aval, number_aval
from x10_jupyter.lazy.graph import path_to
from x10_jupyter.lazy.op import Op
from x10_jupyter.lazy.producer import site_of
from x10_jupyter.lazy.program import Origin
from x10_jupyter.lazy.trie import State


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
    return jax.ShapeDtypeStruct(aval.shape, aval.held_as, weak_type=aval.weak_type, sharding=aval.sharding)


def spoiled(state: State, guilty: Sequence[State]) -> dict[int, State]:
    """Each value on the way to a state that cannot be computed, and each leaf that is gone, with the place that is to blame: an operation or a leaf."""
    blamed: dict[int, State] = {}
    places = {id(place) for place in guilty}
    leaves = count(1)
    for place in path_to(state):
        if place.op is None:
            leaf = -next(leaves)
            if id(place) in places:
                blamed[leaf] = place
        else:
            before = place if id(place) in places else next((blamed[r] for r in place.key[1:] if r in blamed), None)
            if before is not None:
                blamed |= dict.fromkeys(range(place.ref, place.ref + len(place.op.outs)), before)
    return blamed


def what_happened(error: BaseException, *, compiled: bool) -> str:
    """Why there is no value."""
    said, kind = gist(error), type(error).__name__
    return f"could not be {'run' if compiled else 'compiled'} ({f'{kind}: {said}' if said else kind})"


def lost_message(what: str, origin: Origin) -> str:
    """What someone is told who reads a value that was lost."""
    message = f"The program of this tensor {what}; it was to be computed by `{origin.op}` at {site_of(origin.line)}, asked for at {site_of(origin.cut_line)}"
    return f"{message}. {GONE.format(origin.took)}" if origin.took else message


GONE = (
    "The program had taken over the memory of {}, which is gone, too: "
    "what something still refers to is copied instead, and x10.config.update(donate=False) overwrites nothing"
)
