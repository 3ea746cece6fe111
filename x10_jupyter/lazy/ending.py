"""The end of code that ran on tensors without knowing of them: what is pending is computed, and plain arrays are left in their place."""

import jax

from x10_jupyter.lazy.avals import converted
from x10_jupyter.lazy.execute import cut
from x10_jupyter.lazy.graph import operations, path_to
from x10_jupyter.lazy.local import LOCAL
from x10_jupyter.lazy.producer import CLOCK, EVENTS, happened
from x10_jupyter.lazy.value import Value
from x10_jupyter.lazy.visible import VISIBLE
from x10_jupyter.records.runtime_events import Pending


def end(how: str) -> None:
    """Compute everything that is pending on this thread and that something still refers to, as one program; no step ends.

    Args:
        how: What asks for it, in the user's words.

    Raises:
        LostValueError: The program could not be compiled or run.
    """
    if LOCAL.trace.state.parent is not None:
        cut(LOCAL.trace, "read", how)


def tell_pending() -> None:
    """Tell how many operations are recorded on this thread and have not run, if there are some."""
    steps = operations(path_to(LOCAL.trace.state)) if EVENTS and LOCAL.trace.state.parent is not None else []
    if steps:
        now_ns = CLOCK.now_ns()
        EVENTS.emit(Pending(ops=len(steps), **happened(None, now_ns, now_ns)))


def array_of(value: object) -> jax.Array | None:
    """The array of a tensor that is computed, with the tensor's dtype; None for everything else, and where there is no such array."""
    if not isinstance(value, Value) or not isinstance(value.held, jax.Array) or value.held.is_deleted():
        return None
    if value.aval.is_narrow:
        return converted(value.held, value.aval.dtype, weak_type=value.aval.weak_type)
    VISIBLE.add(value.held)
    return value.held
