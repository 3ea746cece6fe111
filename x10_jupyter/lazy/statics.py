"""Which numbers of a call have to be static: those that the function must know, or does something else for when it does."""

from collections import Counter
from collections.abc import Callable

from x10_jupyter.lazy.jaxprs import equations
from x10_jupyter.lazy.op import Op

MANY_STATICS = 8
"""Numbers of a call that are tried one by one."""
MOVES = {"convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "copy", "copy_p", "pjit", "jit", "stop_gradient"}
"""Primitives that only bring a number into the right form."""


def choose(attempt: Callable[[frozenset[int]], Op | None], count: int, *, follows_values: bool) -> frozenset[int]:
    """The numbers that are to be static, by trial.

    Args:
        attempt: Traces the call with these numbers static; None if that fails.
        count: How many numbers the call has.
        follows_values: Whether the function may do something else for a number whose value it knows, as JAX's own do for ``x ** 2``. Such a number is a
            parameter only if the function does the same with it either way. Of the user's own functions it is asked no more than under ``jax.jit``.
    """
    none, everything = frozenset[int](), frozenset(range(count))
    free = attempt(none)
    if free is not None and not follows_values:
        return none
    known = attempt(everything)
    if known is None:
        return everything if free is None else none

    def does_the_same(op: Op | None) -> bool:
        return op is not None and op.outs == known.outs and primitives(op) == primitives(known)

    if does_the_same(free):
        return none
    if count > MANY_STATICS or count == 1:
        return everything
    chosen = frozenset([i for i in everything if not does_the_same(attempt(everything - {i}))])
    return chosen if chosen != everything and does_the_same(attempt(chosen)) else everything


def primitives(op: Op) -> Counter[str]:
    """How often each primitive occurs in an operation, but for those that only bring values into form."""
    return Counter([name for eqn in equations(op.jaxpr.jaxpr) if (name := eqn.primitive.name) not in MOVES])
